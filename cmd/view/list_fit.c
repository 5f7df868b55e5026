/* SPDX-License-Identifier: MIT */
/*
 * Fits the columns of a list to a terminal. In most lists the last column is arbitrary text.
 * Columns before it are left out, so that a useful part of that text fits.
 */
#include "view/list_fit.h"

#include "base/minmax.h"

/* Wanted width of the last column: other columns are left out until the last one is that wide,
 * or as wide as its longest text if that is shorter. */
enum { LAST_COLUMN_WANTED = 20 };

/* Minimum useful width of the last column. Below this, the columns in `droppable_last` are left
 * out, too. */
enum { LAST_COLUMN_MIN = 8 };

/* Minimum width to which columns of text before the last one are cut. */
enum { WORDS_MIN = 8 };

const struct list_column list_fit_id_column = {
	.name = "id", .title = "ID", .type = LIST_NUMBER, .alone = true, .style = OUT_DIM
};

static bool is_summable(const struct list_column *column)
{
	return (column->type == LIST_SIZE || column->type == LIST_COUNT) && !column->alone;
}

/**
 * Sums all columns, item by item. A long list does not fit the processor's caches, so summing
 * column by column would load each item several times.
 */
static void sum_up(struct list_view *view)
{
	const struct list *list = view->list;
	uint64_t value;

	for (size_t row = 0; row < list->count; row++) {
		for (size_t at = 0; at < view->column_count; at++) {
			const struct list_column *column = view->columns[at];

			if (!is_summable(column))
				continue;

			bool bound = column->at_least && column->at_least(list->items[row]);

			if (bound)
				view->bound[at] = true;
			if (column->number(column, list->items[row], &value)) {
				view->sums[at] += value;
				view->summed[at] = true;
			} else if (!column->optional && !bound) {
				view->unknown[at] = true;
			}
		}
	}
}

void list_fit_set_columns(struct list_view *view, const bool *drop)
{
	const struct list *list = view->list;
	size_t first = view->ids != NULL;

	view->column_count = first;
	view->label = SIZE_MAX;
	if (view->ids) {
		view->columns[0] = &list_fit_id_column;
		view->heads[0] = (struct table_column){ .title = list_fit_id_column.title,
			                                .style = list_fit_id_column.style };
	}

	for (size_t i = 0; i < list->column_count; i++) {
		const struct list_column *column = list->columns[i];

		if (drop && drop[i])
			continue;

		size_t at = view->column_count++;

		view->columns[at] = column;
		view->heads[at] = (struct table_column){ .title = list_title(list, column),
			                                 .style = column->style };
		view->heads[at].right = list_is_quantity(column) || column->type == LIST_NUMBER ||
		                        column->type == LIST_OFFSET;

		/* Put the label of the totals in the first column after the session's numbers if
		 * that column is text, otherwise in the last column that is text. */
		if (!view->heads[at].right && view->label != first)
			view->label = at;

		view->sums[at] = 0;
		view->summed[at] = view->unknown[at] = view->bound[at] = false;
	}

	sum_up(view);
}

/**
 * Returns the number of columns by which the table is wider than the terminal. For the last column,
 * if it is text, at most the width `wanted` is counted.
 */
static size_t missing_room(const struct table *table, const size_t *widths, size_t wanted,
                           const struct out *out)
{
	size_t last = table->column_count - 1;
	size_t width = widths[last];

	/* A last column of numbers is not cut, so it needs its full width. */
	if (!table->columns[last].right)
		width = pm_min_size(width, wanted);

	return excess_size(table_offset(table, widths, last) + width, out->width);
}

/**
 * Returns the index of a column in list->columns, or list->column_count if the column is not
 * selected.
 */
static size_t index_of(const struct list *list, const struct list_column *column)
{
	size_t at = 0;
	while (at < list->column_count && list->columns[at] != column)
		at++;
	return at;
}

/**
 * Checks whether the values of a column are known and add up to 0. A column of text has no sum and
 * is never empty.
 */
static bool is_empty(const struct list *list, const struct list_column *column)
{
	uint64_t sum;
	return column->number && list_sum(column, list->items, list->count, &sum) && sum == 0;
}

/**
 * Finds the next column to leave out: the first of the named columns whose values add up to 0 or,
 * if there is no such column, the first of the named columns. Columns that the user asked for, and
 * columns that are left out already, are not considered.
 *
 * @param names  names of the columns that may be left out; NULL if there are none
 * @return       index in list->columns, or SIZE_MAX if no column may be left out
 */
static size_t next_to_drop(const struct list *list, const char *names, const bool *drop)
{
	const struct list_column *droppable[TABLE_COLUMNS_MAX];
	size_t count = 0, first = SIZE_MAX;

	if (!names || list_parse_columns(list->spec, names, droppable, &count, NULL) < 0)
		return SIZE_MAX;

	for (size_t i = 0; i < count; i++) {
		size_t at = index_of(list, droppable[i]);

		if (at == list->column_count || drop[at] || list->asked_for[at])
			continue;
		if (is_empty(list, droppable[i]))
			return at;
		if (first == SIZE_MAX)
			first = at;
	}

	return first;
}

/**
 * Leaves out columns that `names` lists until the last column of the table has the wanted width, or
 * until no more columns can be left out.
 */
static void drop_columns(struct list_view *view, struct table *table, size_t *widths,
                         const struct out *out, const char *names, size_t wanted, bool *drop)
{
	const struct list *list = view->list;
	size_t at;

	while (missing_room(table, widths, wanted, out) > 0 &&
	       (at = next_to_drop(list, names, drop)) != SIZE_MAX) {
		drop[at] = true;
		if (view->dropped.length > 0)
			text_string(&view->dropped, ", ");
		text_string(&view->dropped, list_title(list, list->columns[at]));

		list_fit_set_columns(view, drop);
		table->column_count = view->column_count;
		table_measure(table, widths);
	}
}

/**
 * Finds the widest column of text that can be cut, except the last one.
 * @return index of the column, or SIZE_MAX if there is none
 */
static size_t widest_words(const struct list_view *view, const size_t *widths)
{
	size_t widest = SIZE_MAX;

	for (size_t at = 0; at + 1 < view->column_count; at++) {
		bool may_be_cut = view->columns[at]->type == LIST_TEXT &&
		                  !view->columns[at]->safe && widths[at] > WORDS_MIN;

		if (may_be_cut && (widest == SIZE_MAX || widths[at] > widths[widest]))
			widest = at;
	}
	return widest;
}

void list_fit_view(struct list_view *view, struct table *table, size_t *widths,
                   const struct out *out)
{
	const struct list_spec *spec = view->list->spec;
	bool drop[TABLE_COLUMNS_MAX] = { false };
	size_t missing, widest;

	table_measure(table, widths);
	if (out->width == SIZE_MAX)
		return;

	if (missing_room(table, widths, SIZE_MAX, out) > 0) {
		view->brief = true;
		table_measure(table, widths);
	}

	size_t wanted = spec->last_wanted > 0 ? spec->last_wanted : LAST_COLUMN_WANTED;
	drop_columns(view, table, widths, out, spec->droppable, wanted, drop);
	drop_columns(view, table, widths, out, spec->droppable_last, LAST_COLUMN_MIN, drop);

	while ((missing = missing_room(table, widths, LAST_COLUMN_WANTED, out)) > 0 &&
	       (widest = widest_words(view, widths)) != SIZE_MAX)
		widths[widest] -= pm_min_size(missing, widths[widest] - WORDS_MIN);
}
