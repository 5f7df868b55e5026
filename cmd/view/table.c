/* SPDX-License-Identifier: MIT */
#include "view/table.h"

#include <stdint.h>

#include "base/minmax.h"
#include "base/utf8.h"

/* Minimum width of the last column. If the terminal has less room, the line is printed with this
 * width nevertheless, and the terminal wraps it. */
enum { LAST_COLUMN_MIN = 8 };

static const char ellipsis[] = "\xe2\x80\xa6";

static void measure_cell(const struct table *table, size_t row, size_t column, size_t *width,
                         struct text *cell)
{
	size_t columns = SIZE_MAX;

	if (table->width)
		columns = table->width(table->context, row, column);
	if (columns == SIZE_MAX) {
		text_clear(cell);
		table->cell(table->context, row, column, cell);
		columns = utf8_columns(cell->bytes, cell->length);
	}

	*width = pm_max_size(*width, columns);
}

/**
 * Returns the number of columns to measure. The last column is not measured if it is text of any
 * length.
 */
static size_t measured_columns(const struct table *table)
{
	size_t last = table->column_count - 1;
	return table->open_end && !table->columns[last].right ? last : table->column_count;
}

void table_measure(const struct table *table, size_t *widths)
{
	struct text cell = { 0 };
	size_t count = measured_columns(table);

	for (size_t column = 0; column < table->column_count; column++)
		widths[column] = table->titles ? strlen(table->columns[column].title) : 0;

	/* Measure row by row, not column by column, because the items of a long list do not fit
	 * the processor's caches. */
	for (size_t row = 0; row < table->rows; row++) {
		for (size_t column = 0; column < count; column++)
			measure_cell(table, row, column, &widths[column], &cell);
	}

	for (size_t column = 0; column < count && table->total; column++)
		measure_cell(table, TABLE_TOTAL, column, &widths[column], &cell);

	text_deinit(&cell);
}

/**
 * Returns the number of spaces before a column. There are more spaces before a column of numbers
 * than before text.
 */
static size_t gap(const struct table *table, size_t column)
{
	if (column == 0)
		return 0;
	return table->columns[column].right ? 2 : 1;
}

size_t table_offset(const struct table *table, const size_t *widths, size_t column)
{
	size_t offset = 0;

	for (size_t i = 0; i < column; i++)
		offset += gap(table, i) + widths[i];
	if (column < table->column_count)
		offset += gap(table, column);

	return offset;
}

/** Prints a text. If the text is wider than `room`, it is cut and ends with an ellipsis. */
static void print_cut(const struct text *cell, size_t room, struct out *out)
{
	if (room == SIZE_MAX || utf8_columns(cell->bytes, cell->length) <= room) {
		out_text(out, cell);
		return;
	}

	out_bytes(out, cell->bytes, utf8_fit(cell->bytes, cell->length, room - 1));
	out_string(out, ellipsis);
}

/** A line being printed. */
struct line {
	const struct table *table;
	const size_t *widths;
	struct out *out;
	size_t room; /* width of the last column in terminal columns */
	size_t owed; /* number of spaces to print before the next text; delayed so that no line ends
	                with spaces */
};

static void print_cell(struct line *line, size_t column, const struct text *cell,
                       enum out_style style)
{
	const struct table_column *as = &line->table->columns[column];
	bool last = column + 1 == line->table->column_count;

	size_t columns = 0;
	size_t room = line->widths[column];

	/* Numbers are ASCII, so their width is their length, and they are not cut. Text in the
	 * last column is not padded. */
	if (as->right)
		columns = cell->length;
	else if (!last)
		columns = utf8_columns(cell->bytes, cell->length);
	if (last)
		room = line->room;
	else if (as->right)
		room = SIZE_MAX;

	size_t padding = excess_size(line->widths[column], columns);

	line->owed += gap(line->table, column);
	if (as->right)
		line->owed += padding;

	if (cell->length > 0) {
		out_blanks(line->out, line->owed);
		line->owed = 0;
		if (style != OUT_PLAIN)
			out_style(line->out, style);
		print_cut(cell, room, line->out);
		if (style != OUT_PLAIN)
			out_style(line->out, OUT_PLAIN);
	}

	if (!as->right)
		line->owed += padding;
}

static void print_row(struct line *line, size_t row, struct text *cell)
{
	const struct table *table = line->table;

	line->owed = 0;
	for (size_t column = 0; column < table->column_count; column++) {
		enum out_style style = table->columns[column].style;

		if (table->style)
			style = table->style(table->context, row, column);
		text_clear(cell);
		table->cell(table->context, row, column, cell);
		print_cell(line, column, cell, style);
	}

	out_string(line->out, "\n");
}

static void print_titles(struct line *line, struct text *cell)
{
	line->owed = 0;
	for (size_t column = 0; column < line->table->column_count; column++) {
		text_clear(cell);
		text_string(cell, line->table->columns[column].title);
		print_cell(line, column, cell, OUT_PLAIN);
	}

	out_string(line->out, "\n");
}

/** Returns the width for the last column, SIZE_MAX if it is not cut. */
static size_t room_for_last(const struct table *table, const size_t *widths, const struct out *out)
{
	size_t last = table->column_count - 1;

	if (out->width == SIZE_MAX || table->columns[last].right)
		return SIZE_MAX;

	return pm_max_size(excess_size(out->width, table_offset(table, widths, last)),
	                   LAST_COLUMN_MIN);
}

void table_print(const struct table *table, const size_t *widths, struct out *out)
{
	struct text cell = { 0 };
	struct line line = { .table = table,
		             .widths = widths,
		             .out = out,
		             .room = room_for_last(table, widths, out) };

	if (table->titles)
		print_titles(&line, &cell);

	for (size_t row = 0; row < table->rows && !out_failed(out); row++) {
		print_row(&line, row, &cell);
		if (table->below)
			table->below(table->context, row, out);
	}

	if (table->before_total)
		table->before_total(table->context, out);
	if (table->total)
		print_row(&line, TABLE_TOTAL, &cell);

	text_deinit(&cell);
}
