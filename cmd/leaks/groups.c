/* SPDX-License-Identifier: MIT */
#include "leaks/groups.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "base/utf8.h"
#include "target/chunk_text.h"
#include "view/results.h"

/* Bytes of a chunk that the program cannot use. */
enum { HEADER = 8 };

/* Maximum number of groups that leaks_groups_print_structures() prints. */
enum { STRUCTURES_SHOWN = 3 };

/** The numbers of a group, by list_column.index. */
enum number {
	SIZE,
	COUNT,
	BYTES,
	DIRECT,
	DIRECT_BYTES,
	INDIRECT,
	INDIRECT_BYTES,
	TOTAL,
	CYCLES,
	EXAMPLE
};

/** Returns the bytes of the direct chunks of a group, and of what was lost through them. */
static uint64_t total_of(const struct pm_leak_group *group)
{
	return group->direct_bytes + group->indirect_bytes;
}

static bool number_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct pm_leak_group *group = item;
	const uint64_t numbers[] = {
		[SIZE] = group->size,
		[COUNT] = group->chunks,
		[BYTES] = group->bytes,
		[DIRECT] = group->direct,
		[DIRECT_BYTES] = group->direct_bytes,
		[INDIRECT] = group->indirect,
		[INDIRECT_BYTES] = group->indirect_bytes,
		[TOTAL] = total_of(group),
		[CYCLES] = group->cycles,
		[EXAMPLE] = group->example,
	};

	*value = numbers[column->index];
	/* The group of what did not fit into other groups has no common size. */
	if (column->index == SIZE)
		return group->size > 0;
	return column->index != TOTAL || group->direct > 0;
}

/**
 * Adds the number and the size of a direct chunk and the chunks that were lost through it: "19
 * chunks, 1.0K". If the direct chunks of the group differ, adds averages, marked with "~".
 */
static void put_each(const struct pm_leak_group *group, bool bytes, struct text *text)
{
	const char *about = group->alike ? "" : "~";
	uint64_t half = group->direct / 2;
	uint64_t chunks = (group->indirect + half) / group->direct + 1;
	uint64_t size = (total_of(group) + half) / group->direct;

	text_string(text, about);
	text_grouped(text, chunks);
	text_format(text, " chunk%s, %s", text_plural(chunks), about);
	if (bytes)
		text_decimal(text, size);
	else
		text_size(text, size);
}

static void each_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct pm_leak_group *group = item;

	(void)column;
	if (group->direct > 0)
		put_each(group, false, text);
}

static void put_what(const struct pm_leak_group *group, struct text *text)
{
	struct pm_chunk_text found = pm_chunk_text_find(group->head, group->head_size);
	chunk_text_what(group->type, found.text, found.length, found.cut, text);
}

static void what_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	put_what(item, text);
}

static void type_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct pm_leak_group *group = item;
	(void)column;
	if (group->type)
		text_string(text, pm_chunk_type_label(group->type));
}

static void text_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct pm_leak_group *group = item;
	struct pm_chunk_text found = pm_chunk_text_find(group->head, group->head_size);
	(void)column;
	text_bytes(text, found.text, found.length);
}

/** Gives the example of a group a number in a session. */
static size_t identify(struct results *results, const void *item)
{
	const struct pm_leak_group *group = item;
	struct text what = { 0 };

	put_what(group, &what);
	size_t number = results_add_hit(results, group->example,
	                                pm_max(group->size, HEADER + 1) - HEADER, what.bytes,
	                                what.length);
	text_deinit(&what);

	return number;
}

static const struct list_column columns[] = {
	{ .name = "bytes",
	  .title = "BYTES",
	  .type = LIST_SIZE,
	  .number = number_of,
	  .index = BYTES,
	  .help = "size of all lost chunks of the group" },
	{ .name = "count",
	  .title = "COUNT",
	  .type = LIST_COUNT,
	  .number = number_of,
	  .index = COUNT,
	  .help = "number of lost chunks" },
	{ .name = "size",
	  .title = "SIZE",
	  .type = LIST_COUNT,
	  .alone = true,
	  .optional = true,
	  .number = number_of,
	  .index = SIZE,
	  .help = "size of each chunk in bytes, with malloc's header" },
	{ .name = "direct",
	  .title = "DIRECT",
	  .type = LIST_COUNT,
	  .number = number_of,
	  .index = DIRECT,
	  .help = "number of chunks to which no other lost chunk points; one for each cycle" },
	{ .name = "direct_bytes",
	  .title = "DIRECT-BYTES",
	  .type = LIST_SIZE,
	  .number = number_of,
	  .index = DIRECT_BYTES,
	  .help = "size of the direct chunks" },
	{ .name = "indirect",
	  .title = "INDIRECT",
	  .type = LIST_COUNT,
	  .number = number_of,
	  .index = INDIRECT,
	  .help = "number of chunks, in any group, that were lost through the direct chunks" },
	{ .name = "indirect_bytes",
	  .title = "INDIRECT-BYTES",
	  .type = LIST_SIZE,
	  .number = number_of,
	  .index = INDIRECT_BYTES,
	  .help = "size of these chunks" },
	{ .name = "total",
	  .json = "",
	  .title = "TOTAL",
	  .type = LIST_SIZE,
	  .optional = true,
	  .number = number_of,
	  .index = TOTAL,
	  .help = "size of the direct chunks and of all chunks that were lost through them" },
	{ .name = "each",
	  .json = "",
	  .title = "EACH",
	  .type = LIST_TEXT,
	  .safe = true,
	  .text = each_text,
	  .help = "a direct chunk and what was lost through it; ~ marks an average" },
	{ .name = "cycles",
	  .title = "CYCLES",
	  .type = LIST_COUNT,
	  .number = number_of,
	  .index = CYCLES,
	  .help = "number of direct chunks that are in a cycle" },
	{ .name = "type",
	  .title = "TYPE",
	  .type = LIST_TEXT,
	  .text = type_text,
	  .help = "class of an object, variable that the chunk points to, or sort of the content" },
	{ .name = "text",
	  .title = "TEXT",
	  .type = LIST_TEXT,
	  .text = text_text,
	  .help = "text in the first bytes of the example" },
	{ .name = "example",
	  .title = "EXAMPLE",
	  .type = LIST_ADDRESS,
	  .number = number_of,
	  .index = EXAMPLE,
	  .help = "address of one of the chunks, a direct one if there is one" },
	{ .name = "what",
	  .json = "",
	  .title = "WHAT",
	  .type = LIST_TEXT,
	  .text = what_text,
	  .help = "type and text" },
};

const struct list_spec leaks_groups_spec = {
	.singular = "group",
	.plural = "groups",
	.columns = columns,
	.column_count = sizeof columns / sizeof *columns,
	.table_columns = "bytes,count,size,direct,total,example,what",
	.csv_columns = "bytes,count,size,direct,direct_bytes,indirect,indirect_bytes,cycles,type,"
		       "text,example",
	.json_columns = "size,count,bytes,direct,direct_bytes,indirect,indirect_bytes,cycles,type,"
			"text,example",
	.json_identity = "example",
	.sort = "bytes",
	.left_out_column = "bytes",
	.droppable = "direct,total",
	.droppable_last = "example",
	.count_column = true,
	.identify = identify,
	.id_prefix = "#",
};

int leaks_groups_init(struct leaks_groups *groups, const struct pm_leaks *leaks,
                      const struct leaks_filter *filter, const struct list_options *options,
                      bool bytes, struct pm_error *error)
{
	*groups = (struct leaks_groups){ .spec = leaks_groups_spec };
	if (filter->by_total) {
		groups->spec.table_columns = "total,count,size,each,example,what";
		groups->spec.sort = "total";
		groups->spec.left_out_column = "total";
		groups->spec.droppable = "each";
	}
	if (list_init(&groups->list, &groups->spec, options, bytes, error) < 0)
		return -1;

	groups->own = alloc_array(NULL, pm_max_size(leaks->count, 1), sizeof *groups->own);
	for (size_t i = 0; i < leaks->count; i++) {
		struct pm_leak_group group = leaks->groups[i];
		if (filter->direct) {
			group.chunks = group.direct;
			group.bytes = group.direct_bytes;
		}
		if (group.chunks > 0 && (group.size >= filter->size_min || group.size == 0))
			groups->own[groups->count++] = group;
	}

	for (size_t i = 0; i < groups->count; i++)
		list_add(&groups->list, &groups->own[i]);
	list_sort(&groups->list);

	return 0;
}

/**
 * Returns the next group whose direct chunks have lost other chunks, by descending bytes.
 * @param last  the group before; NULL for the first one
 * @return      the group, or NULL if there is none
 */
static const struct pm_leak_group *next_structure(const struct pm_leaks *leaks,
                                                  const struct pm_leak_group *last)
{
	const struct pm_leak_group *next = NULL;

	for (size_t i = 0; i < leaks->count; i++) {
		const struct pm_leak_group *group = &leaks->groups[i];
		uint64_t total = total_of(group);
		/* If most direct chunks have lost no other chunk, the line would say nothing. */
		bool is_alone = 2 * group->indirect < group->direct || group->indirect == 0;
		if (is_alone || (next && total <= total_of(next)))
			continue;

		bool is_after = last && total == total_of(last) && group > last;
		if (!last || total < total_of(last) || is_after)
			next = group;
	}

	return next;
}

/** Prints a group: "1,495 x (19 chunks, 1.0K)", the sum, and what the direct chunks are. */
static void print_structure(const struct pm_leak_group *group, bool bytes, struct out *out)
{
	struct text line = { 0 }, what = { 0 };

	text_string(&line, "lost together: ");
	text_grouped(&line, group->direct);
	text_string(&line, " x (");
	put_each(group, bytes, &line);
	text_string(&line, ") = ");
	if (bytes)
		text_decimal(&line, total_of(group));
	else
		text_size(&line, total_of(group));

	put_what(group, &what);
	text_string(&line, ", through chunks ");
	if (group->size > 0)
		text_format(&line, "of %" PRIu64 " B ", group->size);
	utf8_escape(&line, what.bytes, what.length);
	text_format(&line, " (%" PRIx64 ")\n", group->example);

	out_wrapped(out, &line, 2);
	text_deinit(&what);
	text_deinit(&line);
}

void leaks_groups_print_structures(const struct pm_leaks *leaks, bool bytes, struct out *out)
{
	const struct pm_leak_group *group = next_structure(leaks, NULL);

	for (int i = 0; group && i < STRUCTURES_SHOWN; i++) {
		print_structure(group, bytes, out);
		group = next_structure(leaks, group);
	}
}

void leaks_groups_deinit(struct leaks_groups *groups)
{
	list_deinit(&groups->list);
	free(groups->own);
}
