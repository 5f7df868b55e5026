/* SPDX-License-Identifier: MIT */
#include "diff/rows.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "target/similar_name.h"

static int compare_rows(const void *one, const void *other)
{
	const struct diff_row *a = one, *b = other;
	int64_t first = llabs(diff_rows_delta(a)), second = llabs(diff_rows_delta(b));

	if (first == second) {
		first = llabs(diff_rows_size_delta(a));
		second = llabs(diff_rows_size_delta(b));
	}

	if (first != second)
		return first < second ? 1 : -1;
	return (a->region->start > b->region->start) - (a->region->start < b->region->start);
}

static void add_sizes(struct pm_growth_sizes *sum, const struct pm_growth_sizes *sizes)
{
	sum->size += sizes->size;
	sum->rss += sizes->rss;
	sum->swap += sizes->swap;
}

int diff_rows_mark(const struct diff_options *options, const struct pm_regions *regions,
                   bool *selected, struct pm_error *error)
{
	struct pm_region_range *ranges;
	size_t count;
	struct pm_error cause = { 0 };

	if (pm_select_apply(options->selection.select, regions, &ranges, &count, &cause) < 0) {
		if (cause.kind == PM_ERROR_NOT_FOUND)
			return 0;
		*error = cause;
		return -1;
	}

	for (size_t i = 0; i < count; i++)
		if (ranges[i].region != SIZE_MAX)
			selected[ranges[i].region] = true;

	free(ranges);
	return 0;
}

/** Orders rows with DIFF_BY_KIND: rows of the same kind are added to the same sum. */
static int compare_kinds(const void *one, const void *other)
{
	const struct diff_row *a = one, *b = other;

	return (a->region->kind > b->region->kind) - (a->region->kind < b->region->kind);
}

/**
 * Orders rows with DIFF_BY_MAPPING. Rows with the same mapping are added to the same sum, and so
 * are rows of the same kind without a mapping.
 */
static int compare_mappings(const void *one, const void *other)
{
	const struct diff_row *a = one, *b = other;
	int order = strcmp(a->region->mapping, b->region->mapping);

	return order != 0 || *a->region->mapping ? order : compare_kinds(one, other);
}

/** Removes the sums of which no part changed. */
static void drop_unchanged(struct diff_rows *rows)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].changed)
			rows->rows[kept++] = rows->rows[i];
		else
			free(rows->rows[i].pattern);
	rows->count = kept;
}

static enum pm_change change_of_sum(const struct diff_row *row)
{
	int64_t delta = diff_rows_delta(row);

	if (delta == 0)
		delta = diff_rows_size_delta(row);
	if (delta > 0)
		return PM_CHANGE_GREW;
	if (delta < 0)
		return PM_CHANGE_SHRANK;
	return PM_CHANGE_SAME;
}

/** Adds a row to a sum. */
static void add_to_sum(struct diff_row *sum, const struct diff_row *row)
{
	add_sizes(&sum->was, &row->was);
	add_sizes(&sum->is, &row->is);
	sum->regions += row->regions;
	sum->changed |= row->changed;
	sum->kinds |= row->kinds;
}

/** Stores the pattern of the names of a sum, if there are several. */
static void name_sum(struct diff_row *row, const struct similar_name *names)
{
	struct text pattern = { 0 };

	if (!names->varied)
		return;

	similar_name_pattern(names, &pattern);
	row->pattern = alloc_string(text_terminate(&pattern));
	text_deinit(&pattern);
}

/** Adds the sum of a file to that of files with similar names. */
static void add_similar(struct diff_row *sum, const struct diff_row *row)
{
	add_to_sum(sum, row);
	sum->files = pm_max_size(sum->files, 1) + 1;
}

/**
 * Unites the sums of files whose names differ only in numbers, if their regions have the same
 * kinds.
 */
static void unite_similar(struct diff_rows *rows)
{
	struct similar_name *names = alloc_array(NULL, rows->count + 1, sizeof *names);
	void *tree = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const char *mapping = rows->rows[i].region->mapping;
		void **found = similar_name_find(&tree, mapping, rows->rows[i].kinds);
		struct diff_row *sum = found && *found ? *found : &rows->rows[kept];

		if (sum == &rows->rows[kept]) {
			rows->rows[kept] = rows->rows[i];
			names[kept++] = (struct similar_name){ 0 };
		} else {
			add_similar(sum, &rows->rows[i]);
		}

		if (found) {
			*found = sum;
			similar_name_add(&names[sum - rows->rows], mapping);
		}
	}

	rows->count = kept;
	for (size_t i = 0; i < kept; i++) {
		name_sum(&rows->rows[i], &names[i]);
		similar_name_deinit(&names[i]);
	}

	similar_name_free_tree(tree);
	free(names);
}

/** Does nothing: the rows in a tree belong to the list of rows. */
static void keep_row(void *row)
{
	(void)row;
}

/** Replaces the rows of each group by a row with their sum. */
static void unite_groups(struct diff_rows *rows)
{
	int (*compare)(const void *, const void *) = compare_mappings;
	void *tree = NULL;
	size_t kept = 0;

	if (rows->options->by == DIFF_BY_KIND)
		compare = compare_kinds;

	for (size_t i = 0; i < rows->count; i++) {
		const struct diff_row row = rows->rows[i];

		rows->rows[kept] = row;
		struct diff_row **sum = tsearch(&rows->rows[kept], &tree, compare);

		if (!sum)
			alloc_failed();
		if (*sum == &rows->rows[kept])
			kept++;
		else
			add_to_sum(*sum, &row);
	}

	tdestroy(tree, keep_row);
	rows->count = kept;
}

/**
 * Replaces the rows of each group by a row with their sum, and removes the sums of which no part
 * changed.
 */
static void sum_up(struct diff_rows *rows)
{
	unite_groups(rows);
	if (rows->options->by == DIFF_BY_MAPPING)
		unite_similar(rows);

	drop_unchanged(rows);
	for (size_t i = 0; i < rows->count; i++)
		rows->rows[i].change = change_of_sum(&rows->rows[i]);
}

/** Returns the sizes of an owner. */
static struct pm_growth_sizes sizes_of(const struct pm_owner_sum *sum)
{
	return (struct pm_growth_sizes){ .size = sum->size,
		                         .rss = sum->bytes[PM_SIZE_RSS],
		                         .swap = sum->bytes[PM_SIZE_SWAP] };
}

/**
 * Makes a row for each owner.
 * @param before  for each region of the first sample, whether it is selected
 * @param after   for each region of the second sample, whether it is selected
 */
static void make_owner_rows(struct diff_rows *rows, const bool *before, const bool *after)
{
	static const struct pm_region none = { .mapping = "", .why = "" };
	const bool measured = rows->before->owners_known && rows->after->owners_known;
	struct pm_owner_sums was, is;

	sampled_sum_owners(rows->before, before, measured, &was);
	sampled_sum_owners(rows->after, after, measured, &is);

	rows->count = 0;
	for (unsigned owner = 0; owner < PM_OWNER_COUNT; owner++) {
		struct diff_row row = {
			.region = &none,
			.owner = (enum pm_owner)owner,
			.regions = is.items[owner].regions,
			.was = sizes_of(&was.items[owner]),
			.is = sizes_of(&is.items[owner]),
		};

		row.change = change_of_sum(&row);
		row.changed = row.change != PM_CHANGE_SAME;
		if (row.changed)
			rows->rows[rows->count++] = row;
	}
}

static struct diff_row row_of_part(const struct diff_rows *rows, const struct pm_growth_part *part)
{
	struct diff_row row = {
		.change = part->change,
		.changed = part->change != PM_CHANGE_SAME,
		.was = part->was,
		.is = part->is,
	};

	if (part->after != PM_GROWTH_NONE) {
		row.region = &rows->after->regions.items[part->after];
		row.regions = part->after_count;
	} else {
		row.region = &rows->before->regions.items[part->before];
		row.regions = part->before_count;
	}

	row.kinds = UINT64_C(1) << row.region->kind;
	return row;
}

/**
 * Checks whether a part is selected: its representative region in the first sample or its
 * representative region in the second sample is selected.
 */
static bool is_selected(const struct pm_growth_part *part, const bool *before, const bool *after)
{
	if (part->after != PM_GROWTH_NONE && after[part->after])
		return true;
	return part->before != PM_GROWTH_NONE && before[part->before];
}

/**
 * Fills the rows and their total from the selected parts of a difference.
 * @param before  for each region of the first sample, whether it is selected
 * @param after   for each region of the second sample, whether it is selected
 */
static void fill(struct diff_rows *rows, const struct pm_growth *growth, const bool *before,
                 const bool *after)
{
	const struct diff_options *options = rows->options;

	rows->rows = alloc_array(NULL, growth->count + PM_OWNER_COUNT, sizeof *rows->rows);
	for (size_t i = 0; i < growth->count; i++) {
		const struct pm_growth_part *part = &growth->parts[i];

		if (!is_selected(part, before, after))
			continue;

		struct diff_row row = row_of_part(rows, part);
		add_sizes(&rows->total.was, &row.was);
		add_sizes(&rows->total.is, &row.is);
		rows->total.count++;
		rows->total.regions += row.regions;
		rows->same += !row.changed;

		/* Without --by, unchanged parts have no row. With --by, their sizes are part of the
		 * sums. */
		if (row.changed || options->by != DIFF_BY_REGION)
			rows->rows[rows->count++] = row;
	}

	if (options->by == DIFF_BY_OWNER)
		make_owner_rows(rows, before, after);
	else if (options->by != DIFF_BY_REGION)
		sum_up(rows);
	qsort(rows->rows, rows->count, sizeof *rows->rows, compare_rows);

	rows->shown = rows->count;
	if (options->top_given && options->top < rows->count)
		rows->shown = (size_t)options->top;
}

int diff_rows_init(struct diff_rows *rows, const struct diff_options *options,
                   const struct sampled *before, const struct sampled *after,
                   const struct pm_growth *growth, struct pm_error *error)
{
	bool *selected_before = calloc(before->regions.count + 1, sizeof *selected_before);
	bool *selected_after = calloc(after->regions.count + 1, sizeof *selected_after);
	struct diff_rows filled = { .options = options, .before = before, .after = after };
	int result = -1;

	if (!selected_before || !selected_after) {
		pm_error_set(error, PM_ERROR_RESOURCES, 0, "out of memory");
	} else if (diff_rows_mark(options, &before->regions, selected_before, error) == 0 &&
	           diff_rows_mark(options, &after->regions, selected_after, error) == 0) {
		fill(&filled, growth, selected_before, selected_after);
		*rows = filled;
		result = 0;
	}

	free(selected_before);
	free(selected_after);

	return result;
}

void diff_rows_deinit(struct diff_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		free(rows->rows[i].pattern);

	free(rows->rows);
	*rows = (struct diff_rows){ 0 };
}
