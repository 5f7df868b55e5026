/* SPDX-License-Identifier: MIT */
#include "target/group_columns.h"

#include <string.h>

#include "base/minmax.h"
#include "target/arena_threads.h"
#include "target/region_columns.h"
#include "view/json.h"

static bool count_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = ((const struct group *)item)->regions;
	return true;
}

static bool largest_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = ((const struct group *)item)->largest;
	return true;
}

static bool sum_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct group *group = item;
	*value = group->sums[column->index];
	return group->known[column->index];
}

static void name_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	text_string(text, ((const struct group *)item)->name);
}

/** Returns the resident and swapped bytes of a group. */
static uint64_t group_weight(const struct group *group)
{
	return group->sums[GROUP_SUM_RSS] + group->sums[GROUP_SUM_SWAP];
}

/**
 * Adds the name of a group for the table, after "~" if 1 % or more of the memory of an owner is
 * inferred. If there is little room, file names lose their
 * directories.
 */
static void name_show(const struct list_column *column, const void *item, bool brief,
                      struct text *text)
{
	const struct group *group = item;
	const char *name = group->name;
	(void)column;

	if (brief && name[0] == '/') {
		const char *slash = strrchr(name, '/');
		if (slash[1])
			name = slash + 1;
	}

	if (group->by_owner && group->inferred >= pm_max(1, group_weight(group) / 100))
		text_char(text, '~');
	text_string(text, name);
	if (group->files > 0)
		similar_name_count(group->files, text);
}

static bool files_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = ((const struct group *)item)->files;
	return *value > 0;
}

/** Makes the value for JSON that all regions of a group share, as in the JSON of a region. */
static json_t *shared_value(const struct list_column *column, const void *item)
{
	const struct group *group = item;

	if (group->rest)
		return NULL;
	if (column->index == GROUP_BY_ARENA && group->arena == 0)
		return NULL;
	if (column->index == GROUP_BY_ARENA)
		return json_address(group->arena);
	if (column->index == GROUP_BY_THREAD)
		return json_number((uint64_t)group->thread);

	return json_text(group->files > 0 ? group->name : group->key);
}

/** Adds what is known about the arena or thread of a group. */
static void detail_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct group *group = item;

	(void)column;
	if (!group->rest && group->files == 0 && strcmp(group->name, group->key) != 0)
		text_string(text, group->name);
}

static bool in_use_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct group *group = item;

	(void)column;
	if (!group->inside)
		return false;

	*value = group->inside->in_use;
	return true;
}

/** Gets the size of all chunks of an arena that are not in use. */
static bool free_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct pm_heap_arena *inside = ((const struct group *)item)->inside;

	(void)column;
	if (!inside)
		return false;

	*value = inside->free + inside->cached + inside->top;
	return true;
}

static void threads_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct group *group = item;

	(void)column;
	if (group->inside)
		arena_threads_text(group->threads, group->index, text);
}

static json_t *threads_value(const struct list_column *column, const void *item)
{
	const struct group *group = item;

	(void)column;
	return group->inside ? arena_threads_json(group->threads, group->index) : NULL;
}

static bool cold_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct group *group = item;
	uint64_t rss = group->sums[GROUP_SUM_RSS];

	(void)column;
	*value = rss - pm_min(group->sums[GROUP_SUM_REFERENCED], rss);
	return group->known[GROUP_SUM_REFERENCED];
}

static bool share_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct group *group = item;

	(void)column;
	*value = group->share;
	return group->known[GROUP_SUM_RSS];
}

static bool inferred_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct group *group = item;

	(void)column;
	*value = group->inferred;
	return true;
}

static void what_text(const struct list_column *column, const void *item, struct text *text)
{
	static const struct owner_parts none = { 0 };
	const struct group *group = item;

	(void)column;

	owner_parts_describe(group->parts ? group->parts : &none, group->owner, text);
}

const struct list_column group_owner_columns[GROUP_OWNER_COLUMNS] = {
	{ .name = "share",
	  .title = "SHARE",
	  .type = LIST_PERCENT,
	  .needs = REGION_NEEDS_RSS,
	  .alone = true,
	  .number = share_of,
	  .help = "part of the resident memory" },
	{ .name = "inferred",
	  .title = "INFERRED",
	  .type = LIST_SIZE,
	  .needs = REGION_NEEDS_RSS,
	  .number = inferred_of,
	  .help = "resident and swapped bytes of which the owner is inferred" },
	{ .name = "what",
	  .title = "WHAT",
	  .type = LIST_TEXT,
	  .text = what_text,
	  .help = "largest parts, or a description of the owner" },
};

const struct list_column group_cold_column = {
	.name = "cold",
	.title = "COLD",
	.type = LIST_SIZE,
	.number = cold_of,
	.help = "resident and not touched in the time of the measurement",
};

const struct list_column group_columns[GROUP_COLUMNS] = {
	{ .type = LIST_TEXT,
	  .text = name_text,
	  .show = name_show,
	  .value = shared_value,
	  .help = "what the regions of the row have in common" },
	{ .name = "count",
	  .title = "COUNT",
	  .type = LIST_COUNT,
	  .number = count_of,
	  .help = "number of regions" },
	{ .name = "size",
	  .title = "SIZE",
	  .type = LIST_SIZE,
	  .number = sum_of,
	  .index = GROUP_SUM_SIZE,
	  .help = "length in the address space" },
	{ .name = "rss",
	  .title = "RSS",
	  .type = LIST_SIZE,
	  .needs = REGION_NEEDS_RSS,
	  .number = sum_of,
	  .index = GROUP_SUM_RSS,
	  .help = "resident" },
	{ .name = "pss",
	  .title = "PSS",
	  .type = LIST_SIZE,
	  .needs = REGION_NEEDS_SMAPS,
	  .number = sum_of,
	  .index = GROUP_SUM_PSS,
	  .help = "resident, each page divided by the number of processes that share it" },
	{ .name = "dirty",
	  .title = "DIRTY",
	  .type = LIST_SIZE,
	  .needs = REGION_NEEDS_SMAPS,
	  .number = sum_of,
	  .index = GROUP_SUM_DIRTY,
	  .help = "resident and written to" },
	{ .name = "swap",
	  .title = "SWAP",
	  .type = LIST_SIZE,
	  .needs = REGION_NEEDS_RSS,
	  .number = sum_of,
	  .index = GROUP_SUM_SWAP,
	  .help = "swapped out" },
	{ .name = "referenced",
	  .title = "REFERENCED",
	  .type = LIST_SIZE,
	  .needs = REGION_NEEDS_SMAPS,
	  .number = sum_of,
	  .index = GROUP_SUM_REFERENCED,
	  .help = "resident and marked as accessed" },
	{ .name = "largest",
	  .title = "LARGEST",
	  .type = LIST_SIZE,
	  .alone = true,
	  .number = largest_of,
	  .help = "length of the longest region" },
	{ .name = "detail",
	  .title = "DETAIL",
	  .type = LIST_TEXT,
	  .text = detail_text,
	  .help = "more about the arena or thread" },
	{ .name = "files",
	  .title = "FILES",
	  .type = LIST_COUNT,
	  .number = files_of,
	  .help = "number of files with similar names that share the row" },
	{ .name = "in_use",
	  .title = "IN USE",
	  .type = LIST_SIZE,
	  .optional = true,
	  .number = in_use_of,
	  .help = "chunks of the arena that are in use" },
	{ .name = "free",
	  .title = "FREE",
	  .type = LIST_SIZE,
	  .optional = true,
	  .number = free_of,
	  .help = "chunks of the arena that are free, in caches of malloc, or the top" },
	{ .name = "threads",
	  .title = "THREADS",
	  .type = LIST_TEXT,
	  .text = threads_text,
	  .value = threads_value,
	  .help = "threads that use the arena" },
};
