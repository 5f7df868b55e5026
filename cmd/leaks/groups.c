/* SPDX-License-Identifier: MIT */
#include "leaks/groups.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "target/chunk_text.h"
#include "view/results.h"

/* Bytes of a chunk that the program cannot use. */
enum { HEADER = 8 };

/** The numbers of a group, by list_column.index. */
enum number { SIZE, COUNT, BYTES, DIRECT, DIRECT_BYTES, CYCLES, EXAMPLE };

static bool number_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct pm_leak_group *group = item;
	const uint64_t numbers[] = {
		[SIZE] = group->size,
		[COUNT] = group->chunks,
		[BYTES] = group->bytes,
		[DIRECT] = group->direct,
		[DIRECT_BYTES] = group->direct_bytes,
		[CYCLES] = group->cycles,
		[EXAMPLE] = group->example,
	};

	*value = numbers[column->index];
	/* The group of what did not fit into other groups has no common size. */
	return column->index != SIZE || group->size > 0;
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
	.table_columns = "bytes,count,size,direct,example,what",
	.csv_columns = "bytes,count,size,direct,direct_bytes,cycles,type,text,example",
	.json_columns = "size,count,bytes,direct,direct_bytes,cycles,type,text,example",
	.json_identity = "example",
	.sort = "bytes",
	.left_out_column = "bytes",
	.droppable = "direct",
	.droppable_last = "example",
	.count_column = true,
	.identify = identify,
	.id_prefix = "#",
};

int leaks_groups_init(struct leaks_groups *groups, const struct pm_leaks *leaks,
                      const struct leaks_filter *filter, const struct list_options *options,
                      bool bytes, struct pm_error *error)
{
	*groups = (struct leaks_groups){ 0 };
	if (list_init(&groups->list, &leaks_groups_spec, options, bytes, error) < 0)
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

void leaks_groups_deinit(struct leaks_groups *groups)
{
	list_deinit(&groups->list);
	free(groups->own);
}
