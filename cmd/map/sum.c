/* SPDX-License-Identifier: MIT */
#include "map/sum.h"

#include "view/json.h"
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

static void print_json(const struct map_sum *sum, struct out *out)
{
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_put(&json, "process_count", json_number(sum->processes));
	json_open(&json, "total", '{');
	json_put(&json, "count", json_number(sum->regions));
	for (size_t i = 0; i < MAP_SUM_SIZES; i++)
		if (!sum->unknown[i])
			json_put(&json, keys[i], json_number(sum->sizes[i]));

	json_shut(&json, '}');
	json_shut(&json, '}');
	out_string(out, "\n");
}

void map_sum_print(const struct map_sum *sum, bool json, bool bytes, struct out *out)
{
	struct text line = { 0 };

	if (sum->processes < 2)
		return;
	if (json) {
		print_json(sum, out);
		return;
	}

	text_format(&line, "\ntotal of %zu processes: %zu regions", sum->processes, sum->regions);
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
		text_string(&line, " (RSS has shared pages once for each process)");
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}
