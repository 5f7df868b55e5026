/* SPDX-License-Identifier: MIT */
#include "map/sum.h"

#include "view/json.h"
#include "view/list_print.h"
#include "view/table.h"

/* The columns that are summed up, in the order of map_sum.sizes. */
static const char names[] = "size,rss,pss,swap";
static const char *const titles[MAP_SUM_SIZES] = { "SIZE", "RSS", "PSS", "SWAP" };
static const char *const keys[MAP_SUM_SIZES] = { "size", "rss", "pss", "swap" };

/* Indices of sums in map_sum.sizes. */
enum { RSS = 1, SWAP = 3 };

void map_sum_add(struct map_sum *sum, const struct list *list)
{
	const struct list_column *columns[TABLE_COLUMNS_MAX];
	size_t count = 0;

	sum->processes++;
	sum->regions += list->count;
	if (list_parse_columns(list->spec, names, columns, &count, NULL) < 0)
		count = 0;

	for (size_t i = 0; i < MAP_SUM_SIZES; i++) {
		uint64_t size;

		if (i < count && list_sum(columns[i], list->items, list->count, &size))
			sum->sizes[i] += size;
		else
			sum->unknown[i] = true;
	}
}

void map_sum_add_groups(struct map_sum *sum, enum group_by by, const struct groups *groups)
{
	if (!group_can_sum_up(by))
		return;
	if (!sum->groups)
		sum->groups = group_create(by);
	group_sum_up(sum->groups, groups);
}

/** Prints the sums as an object. `groups` may be NULL. */
static int print_json(const struct map_sum *sum, const struct target_list *targets,
                      struct list *groups, struct out *out, struct pm_error *error)
{
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_put(&json, "process_count", json_number(sum->processes));
	if (targets->found) {
		json_put(&json, "ended_count", json_number(targets->ended));
		json_put(&json, "unreadable_count", json_number(targets->unreadable));
		json_put(&json, "left_out_count", json_number(targets->beyond + targets->foreign));
	}
	if (targets->group)
		json_put(&json, "cgroup", json_text(targets->group));
	if (groups && json_put_list(&json, "groups", groups, error) < 0)
		return -1;

	json_open(&json, "total", '{');
	json_put(&json, "count", json_number(sum->regions));
	for (size_t i = 0; i < MAP_SUM_SIZES; i++)
		if (!sum->unknown[i])
			json_put(&json, keys[i], json_number(sum->sizes[i]));

	json_shut(&json, '}');
	json_shut(&json, '}');
	out_string(out, "\n");
	return 0;
}

/** Prints one line with the sums. */
static void print_line(const struct map_sum *sum, const struct target_list *targets, bool bytes,
                       struct out *out)
{
	const size_t missing = target_list_missing(targets);
	struct text line = { 0 };

	text_format(&line, "\ntotal of %zu", sum->processes);
	if (missing > 0)
		text_format(&line, " of %zu", sum->processes + missing);
	text_format(&line, " processes: %zu regions", sum->regions);
	for (size_t i = 0; i < MAP_SUM_SIZES; i++) {
		if (sum->unknown[i] || (i == SWAP && sum->sizes[i] == 0))
			continue;

		text_format(&line, ", %s ", titles[i]);
		if (bytes)
			text_decimal(&line, sum->sizes[i]);
		else
			text_size(&line, sum->sizes[i]);
	}

	if (!sum->unknown[RSS])
		text_string(&line, " (RSS counts a shared page in each process, PSS once)");
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

int map_sum_print(const struct map_sum *sum, const struct target_list *targets,
                  const struct list_options *options, const struct output_options *output,
                  struct out *out, struct pm_error *error)
{
	struct list groups = { 0 };
	struct list *shown = NULL;
	int result = 0;

	if (sum->processes < 2 && !(output->json && target_list_is_several(targets)))
		return 0;
	if (!output->json && options->no_header)
		return 0;
	if (sum->groups) {
		if (list_init(&groups, group_columns_spec(sum->groups), options, output->bytes,
		              error) < 0)
			return -1;
		group_add_to(sum->groups, &groups);
		list_sort(&groups);
		shown = &groups;
	}

	if (output->json)
		result = print_json(sum, targets, shown, out, error);
	else
		print_line(sum, targets, output->bytes, out);
	if (!output->json && shown)
		list_print(shown, out);

	list_deinit(&groups);
	return result;
}

void map_sum_deinit(struct map_sum *sum)
{
	group_destroy(sum->groups);
	sum->groups = NULL;
}
