/* SPDX-License-Identifier: MIT */
#include "view/table.h"

#include <stdint.h>

#include "base/utf8.h"

/* What is kept of a last column, however narrow the terminal: less would tell nothing, so the line
 * wraps instead. */
enum { LAST_COLUMN_MIN = 8 };

static const char ellipsis[] = "\xe2\x80\xa6";

static void measure_cell(const struct table *table, size_t row, size_t column, size_t *width,
                         struct text *cell)
{
	size_t columns = table->width ? table->width(table->context, row, column) : SIZE_MAX;
	if (columns == SIZE_MAX) {
		text_clear(cell);
		table->cell(table->context, row, column, cell);
		columns = utf8_columns(cell->bytes, cell->length);
	}

	if (columns > *width)
		*width = columns;
}

/** How many columns have to be measured: a last one of words that may be of any length has not. */
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

	/* Row by row: the items of a long list do not fit the processor's caches. */
	for (size_t row = 0; row < table->rows; row++) {
		for (size_t column = 0; column < count; column++)
			measure_cell(table, row, column, &widths[column], &cell);
	}

	for (size_t column = 0; column < count && table->total; column++)
		measure_cell(table, TABLE_TOTAL, column, &widths[column], &cell);

	text_deinit(&cell);
}

/** Blanks before a column: numbers that follow each other need more air than words. */
static size_t gap(const struct table *table, size_t column)
{
	return column == 0 ? 0 : table->columns[column].right ? 2 : 1;
}

size_t table_offset(const struct table *table, const size_t *widths, size_t column)
{
	size_t offset = 0;
	for (size_t i = 0; i < column; i++)
		offset += gap(table, i) + widths[i];
	return column < table->column_count ? offset + gap(table, column) : offset;
}

/** Prints a text that may be too long for its place: whole, or cut and with an ellipsis. */
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
	size_t room; /* for the last column */
	size_t owed; /* blanks not printed yet: there are none at the end of a line */
};

static void print_cell(struct line *line, size_t column, const struct text *cell,
                       enum out_style style)
{
	const struct table_column *as = &line->table->columns[column];
	bool last = column + 1 == line->table->column_count;

	/* Numbers are ASCII, and what stands behind a last column of words does not matter. */
	size_t columns = as->right ? cell->length
	                 : last    ? 0
	                           : utf8_columns(cell->bytes, cell->length);
	size_t room = last ? line->room : as->right ? SIZE_MAX : line->widths[column];
	size_t padding = columns < line->widths[column] ? line->widths[column] - columns : 0;

	line->owed += gap(line->table, column) + (as->right ? padding : 0);
	if (cell->length > 0) {
		out_blanks(line->out, line->owed);
		line->owed = 0;
		if (style != OUT_PLAIN)
			out_style(line->out, style);
		print_cut(cell, room, line->out);
		if (style != OUT_PLAIN)
			out_style(line->out, OUT_PLAIN);
	}

	line->owed += as->right ? 0 : padding;
}

static void print_row(struct line *line, size_t row, struct text *cell)
{
	const struct table *table = line->table;
	line->owed = 0;
	for (size_t column = 0; column < table->column_count; column++) {
		text_clear(cell);
		table->cell(table->context, row, column, cell);
		print_cell(line, column, cell,
		           table->style ? table->style(table->context, row, column)
		                        : table->columns[column].style);
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

/** Columns that the terminal leaves to the last one; SIZE_MAX: it is not to be cut. */
static size_t room_for_last(const struct table *table, const size_t *widths, const struct out *out)
{
	size_t last = table->column_count - 1;
	size_t offset = table_offset(table, widths, last);
	if (out->width == SIZE_MAX || table->columns[last].right)
		return SIZE_MAX;
	return offset + LAST_COLUMN_MIN > out->width ? LAST_COLUMN_MIN : out->width - offset;
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
