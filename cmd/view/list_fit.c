/* SPDX-License-Identifier: MIT */
#include "view/list_fit.h"

#include "view/list_values.h"

/* What the last column shall have at least before columns are dropped for it; a shorter text is
 * content with less. */
enum { LAST_COLUMN_WANTED = 20 };

/* With less the last column would tell nothing: then columns go that else stay. */
enum { LAST_COLUMN_MIN = 8 };

/* What a column of words is not cut below, however narrow the terminal. */
enum { WORDS_MIN = 8 };

const struct list_column list_fit_id_column = {
	.name = "id", .title = "ID", .type = LIST_NUMBER, .alone = true, .style = OUT_DIM
};

static bool is_summable(const struct list_column *column)
{
	return (column->type == LIST_SIZE || column->type == LIST_COUNT) && !column->alone;
}

/**
 * Sums up all columns item by item: a long list does not fit the processor's caches, so each item
 * is fetched once.
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
			if (column->number(column, list->items[row], &value)) {
				view->sums[at] += value;
				view->summed[at] = true;
			} else if (!column->optional) {
				view->unknown[at] = true;
			}
		}
	}
}

void list_fit_set_columns(struct list_view *view, const bool *drop)
{
	const struct list *list = view->list;
	size_t first = view->ids ? 1 : 0;
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

		/* The first column (but that of the numbers) is the place for the label if it holds
		 * words, else the last one that does. */
		if (!view->heads[at].right && view->label != first)
			view->label = at;

		view->sums[at] = 0;
		view->summed[at] = view->unknown[at] = false;
	}

	sum_up(view);
}

/**
 * How many columns of the terminal are missing for the last column to have what it wants, or as
 * much as is `wanted`.
 */
static size_t missing_room(const struct table *table, const size_t *widths, size_t wanted,
                           const struct out *out)
{
	size_t last = table->column_count - 1;
	/* Numbers are not cut. */
	size_t least = table->columns[last].right || widths[last] < wanted ? widths[last] : wanted;
	size_t needed = table_offset(table, widths, last) + least;
	return needed > out->width ? needed - out->width : 0;
}

/**
 * The next of some columns that may go: one that holds nothing at all, else the first.
 * @return index in the list, SIZE_MAX for none
 */
static size_t next_to_drop(const struct list *list, const char *names, const bool *drop)
{
	const struct list_column *droppable[TABLE_COLUMNS_MAX];
	size_t count = 0, first = SIZE_MAX;
	if (!names || list_parse_columns(list->spec, names, droppable, &count, NULL) < 0)
		return SIZE_MAX;

	for (size_t i = 0; i < count; i++) {
		size_t at = 0;
		uint64_t sum;
		while (at < list->column_count && list->columns[at] != droppable[i])
			at++;
		if (at == list->column_count || drop[at] || list->asked_for[at])
			continue;
		if (list->columns[at]->number &&
		    list_values_sum(list->columns[at], list->items, list->count, &sum) && sum == 0)
			return at;
		if (first == SIZE_MAX)
			first = at;
	}

	return first;
}

/** Drops columns until the last one has the room that is wanted, or none is left to drop. */
static void drop_columns(struct list_view *view, struct table *table, size_t *widths,
                         const struct out *out, const char *names, size_t wanted, bool *drop)
{
	const struct list *list = view->list;
	size_t at;
	while (missing_room(table, widths, wanted, out) > 0 &&
	       (at = next_to_drop(list, names, drop)) != SIZE_MAX) {
		drop[at] = true;
		text_string(&view->dropped, view->dropped.length ? ", " : "");
		text_string(&view->dropped, list_title(list, list->columns[at]));
		list_fit_set_columns(view, drop);
		table->column_count = view->column_count;
		table_measure(table, widths);
	}
}

/**
 * The widest column before the last whose words may be cut.
 * @return its index, SIZE_MAX for none
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

	drop_columns(view, table, widths, out, spec->droppable, LAST_COLUMN_WANTED, drop);
	drop_columns(view, table, widths, out, spec->droppable_last, LAST_COLUMN_MIN, drop);
	while ((missing = missing_room(table, widths, LAST_COLUMN_WANTED, out)) > 0 &&
	       (widest = widest_words(view, widths)) != SIZE_MAX)
		widths[widest] -= missing < widths[widest] - WORDS_MIN ? missing
		                                                       : widths[widest] - WORDS_MIN;
}
