/* SPDX-License-Identifier: MIT */
#include "list.h"

#include "utf8.h"

/* Lines of a terminal that a list leaves free: titles, totals, what is left out, and the next prompt. */
enum { LINES_AROUND = 4 };

/* Rows that a list shows however low the terminal is. */
enum { ROWS_LEAST = 3 };

/* What the last column shall have at least before columns are dropped for it; a shorter text is content with less. */
enum { LAST_COLUMN_WANTED = 20 };

static const char ellipsis[] = "\xe2\x80\xa6";

/** A list while its table is printed. */
struct view {
	const struct list *list;
	struct table_column heads[TABLE_COLUMNS_MOST];
	const struct list_column *columns[TABLE_COLUMNS_MOST];
	size_t column_count;
	uint64_t sums[TABLE_COLUMNS_MOST];
	bool summed[TABLE_COLUMNS_MOST];
	size_t label;         /* the column in which the totals are labelled, SIZE_MAX for none */
	bool brief;           /* there is little room for the last column */
	struct text raw;      /* a cell before escaping */
	struct text dropped;  /* titles of the columns that did not fit */
};

/** Whether a column tells how much; there something unknown is worth a mark. The others name things that need not exist. */
static bool is_quantity(const struct list_column *column)
{
	return column->type == LIST_SIZE || column->type == LIST_COUNT || column->type == LIST_PERCENT;
}

static void total_cell(const struct view *view, size_t index, struct text *text)
{
	const struct list *list = view->list;
	if (view->summed[index])
		list_show_number(view->list, view->columns[index], view->sums[index], text);
	else if (index == view->label && list->spec->count_column)
		text_string(text, "total");
	else if (index == view->label)
		text_format(text, "total %zu %s", list->count, list->count == 1 ? list->spec->singular : list->spec->plural);
}

static void table_cell(void *context, size_t row, size_t index, struct text *text)
{
	struct view *view = context;
	const struct list_column *column = view->columns[index];
	uint64_t value;
	if (row == TABLE_TOTAL) {
		total_cell(view, index, text);
		return;
	}
	const void *item = view->list->items[row];
	if (!column->text) {
		if (column->number(column, item, &value))
			list_show_number(view->list, column, value, text);
		else if (is_quantity(column))
			text_char(text, column->optional ? '-' : '?');
		return;
	}
	if (column->safe) {
		column->text(column, item, text);
		return;
	}
	text_clear(&view->raw);
	if (column->show)
		column->show(column, item, view->brief, &view->raw);
	else
		column->text(column, item, &view->raw);
	utf8_escape(text, view->raw.bytes, view->raw.length);
}

static size_t table_width(void *context, size_t row, size_t index)
{
	const struct view *view = context;
	const struct list_column *column = view->columns[index];
	uint64_t value;
	if (row == TABLE_TOTAL)
		return SIZE_MAX;
	const void *item = view->list->items[row];
	if (column->text)
		return column->length ? column->length(column, item) : SIZE_MAX;
	return column->number(column, item, &value) ? list_number_length(view->list, column, value) : 1;
}

static void table_below(void *context, size_t row, struct out *out)
{
	const struct view *view = context;
	view->list->below(view->list->items[row], out);
}

/** Says what is left out: items, and how much they hold. */
static void print_left_out(const struct view *view, struct out *out)
{
	const struct list *list = view->list;
	size_t missing = list->count - list->shown;
	const struct list_column *column = list_find_column(list->spec, list->spec->left_out_column);
	const struct list_column *instead = list_find_column(list->spec, "size");
	uint64_t sum;
	out_format(out, "%s %zu more %s", ellipsis, missing, missing == 1 ? list->spec->singular : list->spec->plural);
	bool known = list_sum(column, list->items + list->shown, missing, &sum);
	if (!known && instead) {
		column = instead;
		known = list_sum(column, list->items + list->shown, missing, &sum);
	}
	if (known) {
		struct text size = { 0 };
		list_show_number(view->list, column, sum, &size);
		out_string(out, ", ");
		out_text(out, &size);
		out_format(out, " %s", column->title);
		text_deinit(&size);
	}
	if (list->all_hint) {
		out_string(out, " (all: ");
		out_escaped(out, list->all_hint);
		out_string(out, ")");
	}
	out_string(out, "\n");
}

static void table_before_total(void *context, struct out *out)
{
	const struct view *view = context;
	if (view->list->shown < view->list->count)
		print_left_out(view, out);
	if (view->dropped.length > 0) {
		out_format(out, "%s no room for ", ellipsis);
		out_text(out, &view->dropped);
		out_string(out, " (-o chooses columns)\n");
	}
}

static bool is_summable(const struct list_column *column)
{
	return (column->type == LIST_SIZE || column->type == LIST_COUNT) && !column->alone;
}

/** Sums up all columns item by item: a long list does not fit the processor's caches, so each item is fetched once. */
static void sum_up(struct view *view)
{
	const struct list *list = view->list;
	uint64_t value;
	for (size_t row = 0; row < list->count; row++) {
		for (size_t at = 0; at < view->column_count; at++) {
			const struct list_column *column = view->columns[at];
			if (is_summable(column) && column->number(column, list->items[row], &value)) {
				view->sums[at] += value;
				view->summed[at] = true;
			}
		}
	}
}

/** Makes the view's columns from the list's, without those that have been dropped. */
static void set_columns(struct view *view, const bool *drop)
{
	const struct list *list = view->list;
	view->column_count = 0;
	view->label = SIZE_MAX;
	for (size_t i = 0; i < list->column_count; i++) {
		const struct list_column *column = list->columns[i];
		if (drop && drop[i])
			continue;
		size_t at = view->column_count++;
		view->columns[at] = column;
		view->heads[at] = (struct table_column){ .title = column->title, .style = column->style };
		view->heads[at].right = is_quantity(column) || column->type == LIST_NUMBER || column->type == LIST_OFFSET;
		/* The first column is the place for the label if it holds words, else the last one that does. */
		if (!view->heads[at].right && view->label != 0)
			view->label = at;
		view->sums[at] = 0;
		view->summed[at] = false;
	}
	sum_up(view);
}

static bool fits(const struct table *table, const size_t *widths, const struct out *out)
{
	size_t last = table->column_count - 1;
	size_t wanted = widths[last] < LAST_COLUMN_WANTED ? widths[last] : LAST_COLUMN_WANTED;
	return out->width == SIZE_MAX || table_offset(table, widths, last) + wanted <= out->width;
}

/** The next column that may go: one that holds nothing at all, else the first that may. @return index in the list, SIZE_MAX for none */
static size_t next_to_drop(const struct list *list, const bool *drop)
{
	const struct list_column *droppable[TABLE_COLUMNS_MOST];
	size_t count = 0, first = SIZE_MAX;
	if (list_parse_columns(list->spec, list->spec->droppable, droppable, &count, NULL) < 0)
		return SIZE_MAX;
	for (size_t i = 0; i < count; i++) {
		size_t at = 0;
		uint64_t sum;
		while (at < list->column_count && list->columns[at] != droppable[i])
			at++;
		if (at == list->column_count || drop[at])
			continue;
		if (list_sum(list->columns[at], list->items, list->count, &sum) && sum == 0)
			return at;
		if (first == SIZE_MAX)
			first = at;
	}
	return first;
}

/** Measures, and makes do with the terminal's width: base names instead of paths first, then without the columns that matter least. */
static void fit_to_terminal(struct view *view, struct table *table, size_t *widths, const struct out *out)
{
	const struct list *list = view->list;
	bool drop[TABLE_COLUMNS_MOST] = { false };
	size_t last = list->column_count - 1, at;
	table_measure(table, widths);
	if (out->width != SIZE_MAX && table_offset(table, widths, last) + widths[last] > out->width) {
		view->brief = true;
		table_measure(table, widths);
	}
	while (!list->options->columns && !fits(table, widths, out) && (at = next_to_drop(list, drop)) != SIZE_MAX) {
		drop[at] = true;
		text_string(&view->dropped, view->dropped.length ? ", " : "");
		text_string(&view->dropped, list->columns[at]->title);
		set_columns(view, drop);
		table->column_count = view->column_count;
		table_measure(table, widths);
	}
}

static void print_table(struct list *list, struct out *out)
{
	struct view view = { .list = list };
	size_t widths[TABLE_COLUMNS_MOST];
	set_columns(&view, NULL);
	bool dressed = !list->options->no_header;
	struct table table = {
		.columns = view.heads,
		.column_count = view.column_count,
		.rows = list->shown,
		.titles = dressed,
		.total = dressed,
		.open_end = out->width == SIZE_MAX,
		.context = &view,
		.cell = table_cell,
		.width = table_width,
		.below = list->below ? table_below : NULL,
		.before_total = dressed ? table_before_total : NULL,
	};
	fit_to_terminal(&view, &table, widths, out);
	/* The line about dropped columns takes the place of a row. */
	if (view.dropped.length > 0 && list->fills_screen)
		table.rows = --list->shown;
	table_print(&table, widths, out);
	text_deinit(&view.raw);
	text_deinit(&view.dropped);
}

/** Finds how many items are to be printed. */
static void limit_rows(struct list *list, const struct out *out)
{
	const struct list_options *options = list->options;
	list->shown = list->count;
	if (options->top_given) {
		list->shown = options->top < list->count ? (size_t)options->top : list->count;
	} else if (out->terminal && !options->all && !options->csv) {
		size_t around = LINES_AROUND + list->lines_above;
		size_t lines = out->height > around ? out->height - around : 0;
		size_t fitting = list->below ? lines / 2 : lines;
		fitting = fitting > ROWS_LEAST ? fitting : ROWS_LEAST;
		list->fills_screen = fitting < list->count;
		list->shown = list->fills_screen ? fitting : list->count;
	}
}

void list_print(struct list *list, struct out *out)
{
	limit_rows(list, out);
	if (list->options->csv)
		list_print_csv(list, out);
	else
		print_table(list, out);
}
