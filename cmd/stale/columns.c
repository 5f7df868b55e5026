/* SPDX-License-Identifier: MIT */
#include "stale/columns.h"

#include <string.h>

#include "target/region_columns.h"
#include "view/json.h"

static bool cold_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = ((const struct pm_stale_region *)item)->sizes.cold;
	return true;
}

/** Gets the cold share of the resident bytes, in tenths of a percent. */
static bool share_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct pm_stale_sizes *sizes = &((const struct pm_stale_region *)item)->sizes;

	(void)column;
	if (sizes->rss == 0)
		return false;

	*value = (uint64_t)((double)sizes->cold * 1000 / (double)sizes->rss + 0.5);
	return true;
}

/** Gets the growth; memory that has shrunk has none. */
static bool growth_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct pm_stale_sizes *sizes = &((const struct pm_stale_region *)item)->sizes;

	(void)column;
	*value = sizes->grown > 0 ? (uint64_t)sizes->grown : 0;
	return sizes->before_known;
}

/** Makes the growth for JSON, where it is negative if the region has shrunk. */
static json_t *growth_value(const struct list_column *column, const void *item)
{
	const struct pm_stale_sizes *sizes = &((const struct pm_stale_region *)item)->sizes;

	(void)column;
	return sizes->before_known ? json_integer(sizes->grown) : NULL;
}

/** Adds the touched bytes at each reading, separated by spaces. */
static void touched_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct pm_stale_region *region = item;

	(void)column;
	for (size_t i = 0; region->referenced_known && i < region->reading_count; i++) {
		if (i > 0)
			text_char(text, ' ');
		text_size(text, region->referenced[i]);
	}
}

static json_t *touched_value(const struct list_column *column, const void *item)
{
	const struct pm_stale_region *region = item;

	(void)column;
	if (!region->referenced_known)
		return NULL;

	json_t *values = json_array();
	for (size_t i = 0; i < region->reading_count; i++)
		json_array_append_new(values, json_number(region->referenced[i]));
	return values;
}

/**
 * Returns a word for a growth.
 * @return NULL if it is not known
 */
static const char *growing_name(enum pm_stale_growth growth)
{
	static const char *const names[] = { [PM_STALE_GROWTH_UNKNOWN] = NULL,
		                             [PM_STALE_GROWTH_NONE] = "no",
		                             [PM_STALE_GROWTH_TOUCHED] = "touched",
		                             [PM_STALE_GROWTH_UNTOUCHED] = "untouched" };

	return names[growth];
}

static void growing_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct pm_stale_sizes *sizes = &((const struct pm_stale_region *)item)->sizes;
	const char *name = growing_name(sizes->growth);

	(void)column;
	if (name)
		text_string(text, name);
}

static const struct list_column own_columns[] = {
	{ .name = "cold",
	  .title = "COLD",
	  .type = LIST_SIZE,
	  .number = cold_of,
	  .help = "resident and not touched in the time of the measurement" },
	{ .name = "share",
	  .json = "",
	  .title = "COLD%",
	  .type = LIST_PERCENT,
	  .number = share_of,
	  .optional = true,
	  .help = "cold, in percent of rss" },
	{ .name = "touched",
	  .title = "TOUCHED",
	  .type = LIST_TEXT,
	  .text = touched_text,
	  .value = touched_value,
	  .safe = true,
	  .help = "touched at each reading, the first directly after the start" },
	{ .name = "growth",
	  .title = "GROWN",
	  .type = LIST_SIZE,
	  .number = growth_of,
	  .value = growth_value,
	  .help = "growth of rss + swap during the measurement" },
	{ .name = "growing",
	  .title = "GROWING",
	  .type = LIST_TEXT,
	  .text = growing_text,
	  .safe = true,
	  .help = "whether it grows, and then whether its older part is touched" },
};

void stale_columns_init(struct stale_columns *columns)
{
	const struct list_spec *regions = &region_columns_spec;
	size_t own = sizeof own_columns / sizeof *own_columns;

	memcpy(columns->columns, regions->columns,
	       regions->column_count * sizeof *columns->columns);
	memcpy(columns->columns + regions->column_count, own_columns, sizeof own_columns);

	columns->spec = *regions;
	columns->spec.columns = columns->columns;
	columns->spec.column_count = regions->column_count + own;
	columns->spec.table_columns = "address,rss,cold,share,growth,kind,mapping";
	columns->spec.csv_columns = "address,rss,referenced,cold,growth,growing,swap,perm,kind,"
				    "mapping,detail";
	columns->spec.json_columns =
		"start,end,size,rss,referenced,cold,touched,growth,growing,"
		"anonymous,anon_huge,hugetlb,swap,locked,perm,mapping,kind,detail,owner,proof";
	columns->spec.sort = columns->spec.left_out_column = "cold";
	columns->spec.droppable = "growth,share";
	columns->spec.droppable_last = NULL;
}
