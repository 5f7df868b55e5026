/* SPDX-License-Identifier: MIT */
#include "view/list_print.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "base/utf8.h"
#include "view/list_fit.h"

/* Number of terminal lines that show no items: the titles, the totals, the line about items left
 * out, and the next prompt. */
enum { LINES_AROUND = 4 };

/* Minimum number of rows on a terminal. */
enum { ROWS_MIN = 3 };

static const char ellipsis[] = "\xe2\x80\xa6";

/** Returns the singular or plural noun for a number of items. */
static const char *noun(const struct list *list, size_t count)
{
	return count == 1 ? list->spec->singular : list->spec->plural;
}

static void total_cell(const struct list_view *view, size_t index, struct text *text)
{
	const struct list *list = view->list;

	if (view->unknown[index] || (view->bound[index] && !view->summed[index])) {
		text_char(text, '?');
		return;
	}
	if (view->bound[index])
		text_char(text, '>');

	if (view->summed[index])
		list_put_number(list, view->columns[index], view->sums[index], text);
	else if (index == view->label && list->spec->count_column)
		text_string(text, "total");
	else if (index == view->label)
		text_format(text, "total %zu %s", list->count, noun(list, list->count));
}

static void table_cell(void *context, size_t row, size_t index, struct text *text)
{
	struct list_view *view = context;
	const struct list_column *column = view->columns[index];
	uint64_t value;

	if (row == TABLE_TOTAL) {
		total_cell(view, index, text);
		return;
	}

	const void *item = view->list->items[row];

	if (column == &list_fit_id_column) {
		if (view->ids[row] > 0)
			text_format(text, "%s%zu", view->list->spec->id_prefix, view->ids[row]);
		return;
	}

	if (!column->text) {
		if (column->number(column, item, &value))
			list_put_number(view->list, column, value, text);
		else if (list_is_quantity(column))
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
	const struct list_view *view = context;
	const struct list_column *column = view->columns[index];
	uint64_t value;

	if (row == TABLE_TOTAL || column == &list_fit_id_column)
		return SIZE_MAX;

	const void *item = view->list->items[row];

	if (column->text)
		return column->length ? column->length(column, item) : SIZE_MAX;

	if (column->number(column, item, &value))
		return list_number_length(view->list, column, value);
	return 1;
}

static void table_below(void *context, size_t row, struct out *out)
{
	const struct list_view *view = context;
	view->list->below(view->list->items[row], out);
}

/** Prints the number of items left out, and the sum of their values in one column. */
static void print_left_out(const struct list_view *view, struct out *out)
{
	const struct list *list = view->list;
	size_t missing = list->count - list->shown;
	const struct list_column *column = list_find_column(list->spec,
	                                                    list->spec->left_out_column);
	const struct list_column *instead = list_find_column(list->spec, "size");
	uint64_t sum;

	out_format(out, "%s %zu more %s", ellipsis, missing, noun(list, missing));

	bool known = list_sum(column, list->items + list->shown, missing, &sum);
	if (!known && instead) {
		column = instead;
		known = list_sum(column, list->items + list->shown, missing, &sum);
	}

	if (known) {
		struct text size = { 0 };

		if (list_sum_is_bound(column, list->items + list->shown, missing))
			text_char(&size, '>');
		list_put_number(list, column, sum, &size);
		out_string(out, ", ");
		out_text(out, &size);
		/* "19.0M BYTES" would name two units. */
		if (strcmp(column->name, "bytes") != 0)
			out_format(out, " %s", list_title(list, column));
		text_deinit(&size);
	}

	/* Suggest -a only if the height of the terminal limits the list. With --top, the user
	 * has set the limit. */
	out_string(out, list->fills_screen ? " (all: -a)\n" : "\n");
}

static void table_before_total(void *context, struct out *out)
{
	const struct list_view *view = context;

	if (view->list->shown < view->list->count)
		print_left_out(view, out);

	if (view->dropped.length > 0) {
		out_format(out, "%s no room for ", ellipsis);
		out_text(out, &view->dropped);
		out_string(out, " (-o chooses columns)\n");
	}
}

/**
 * Gives the shown items their numbers in a session.
 * @return the numbers, to be released with free(), or NULL if the items get no numbers
 */
static size_t *identify(const struct list *list, struct out *out)
{
	if (!out->results || !list->spec->identify)
		return NULL;

	size_t *ids = alloc_array(NULL, list->shown, sizeof *ids);

	for (size_t i = 0; i < list->shown; i++)
		ids[i] = list->spec->identify(out->results, list->items[i]);
	return ids;
}

/** Writes one field of CSV (RFC 4180), in quotes if it contains a comma or a quote. */
static void put_csv_field(const struct text *field, struct out *out)
{
	if (field->length == 0 || (!memchr(field->bytes, ',', field->length) &&
	                           !memchr(field->bytes, '"', field->length))) {
		out_text(out, field);
		return;
	}

	out_string(out, "\"");
	for (size_t i = 0; i < field->length; i++) {
		if (field->bytes[i] == '"')
			out_string(out, "\"");
		out_bytes(out, field->bytes + i, 1);
	}
	out_string(out, "\"");
}

static void print_csv(const struct list *list, struct out *out)
{
	struct text raw = { 0 }, field = { 0 };

	for (size_t i = 0; i < list->column_count && !list->options->no_header; i++)
		out_format(out, "%s%s", i ? "," : "", list->columns[i]->name);
	if (!list->options->no_header)
		out_string(out, "\n");

	for (size_t row = 0; row < list->shown && !out_failed(out); row++) {
		for (size_t i = 0; i < list->column_count; i++) {
			text_clear(&raw);
			text_clear(&field);
			list_put_exact(list->columns[i], list->items[row], &raw);
			utf8_escape(&field, raw.bytes, raw.length);

			if (i > 0)
				out_string(out, ",");
			put_csv_field(&field, out);
		}
		out_string(out, "\n");
	}

	text_deinit(&raw);
	text_deinit(&field);
}

static void print_table(struct list *list, struct out *out)
{
	struct list_view view = { .list = list, .ids = identify(list, out) };
	size_t widths[TABLE_COLUMNS_MAX];
	bool header = !list->options->no_header;

	list_fit_set_columns(&view, NULL);

	struct table table = {
		.columns = view.heads,
		.column_count = view.column_count,
		.rows = list->shown,
		.titles = header,
		.total = header,
		.open_end = out->width == SIZE_MAX,
		.context = &view,
		.cell = table_cell,
		.width = table_width,
	};

	if (list->below)
		table.below = table_below;
	if (header)
		table.before_total = table_before_total;

	list_fit_view(&view, &table, widths, out);
	/* On a full screen, the line that lists the columns left out takes the place of a row. */
	if (view.dropped.length > 0 && list->fills_screen && list->shown == list->room)
		table.rows = --list->shown;
	table_print(&table, widths, out);

	text_deinit(&view.raw);
	text_deinit(&view.dropped);
	free(view.ids);
}

/** Sets the number of items to print. */
static void limit_rows(struct list *list, const struct out *out)
{
	const struct list_options *options = list->options;

	list->shown = list->count;
	list->room = SIZE_MAX;
	if (options->top_given) {
		list->shown = pm_min_size((size_t)options->top, list->count);
	} else if (out->terminal && !options->all && !options->csv) {
		size_t lines = excess_size(out->height, LINES_AROUND + list->lines_above);
		size_t rows = pm_max_size(list->below ? lines / 2 : lines, ROWS_MIN);

		list->room = rows;
		list->fills_screen = rows < list->count;
		list->shown = pm_min_size(rows, list->count);
	}

	bool limited = !options->top_given && !options->all && !options->csv && list->wanted > 0;
	if (limited && list->wanted < list->shown) {
		list->shown = list->wanted;
		list->fills_screen = true;
	}
}

void list_print(struct list *list, struct out *out)
{
	limit_rows(list, out);
	if (list->options->csv)
		print_csv(list, out);
	else
		print_table(list, out);
}
