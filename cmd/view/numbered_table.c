/* SPDX-License-Identifier: MIT */
#include "view/numbered_table.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "view/results.h"

/** The table that is printed: a column of numbers, followed by another table. */
struct wrapped {
	const struct table *inner;
	size_t *numbers; /* for each row the number of its region, 0 if it has none */
};

static void cell(void *context, size_t row, size_t column, struct text *text)
{
	const struct wrapped *wrapped = context;

	if (column > 0)
		wrapped->inner->cell(wrapped->inner->context, row, column - 1, text);
	else if (row != TABLE_TOTAL && wrapped->numbers[row] > 0)
		text_format(text, "#r%zu", wrapped->numbers[row]);
}

static enum out_style style(void *context, size_t row, size_t column)
{
	const struct wrapped *wrapped = context;
	const struct table *inner = wrapped->inner;

	if (column == 0)
		return OUT_DIM;
	if (inner->style)
		return inner->style(inner->context, row, column - 1);
	return inner->columns[column - 1].style;
}

static void below(void *context, size_t row, struct out *out)
{
	const struct wrapped *wrapped = context;
	wrapped->inner->below(wrapped->inner->context, row, out);
}

static void before_total(void *context, struct out *out)
{
	const struct wrapped *wrapped = context;
	wrapped->inner->before_total(wrapped->inner->context, out);
}

static void print(const struct table *table, struct out *out)
{
	size_t widths[TABLE_COLUMNS_MAX];
	table_measure(table, widths);
	table_print(table, widths, out);
}

bool numbered_table_fits(const struct table *table, const struct out *out)
{
	/* Width of the column of numbers including a space, and minimum width of the text in the
	 * last column, in terminal columns. */
	enum { NUMBERS = 5, WORDS = 8 };
	size_t widths[TABLE_COLUMNS_MAX];
	size_t last = table->column_count - 1;

	if (out->width == SIZE_MAX)
		return true;

	table_measure(table, widths);

	size_t needed = table_offset(table, widths, last) + WORDS;

	if (out->results)
		needed += NUMBERS;
	return needed <= out->width;
}

/**
 * Gives a number to the region of a row.
 * @return the number, 0 if the row is not a region
 */
static size_t number_row(const struct table *table, size_t index,
                         bool (*row)(void *context, size_t index, struct numbered_row *row),
                         struct results *results)
{
	struct numbered_row region = { 0 };
	size_t number = 0;

	if (row(table->context, index, &region))
		number = results_add_region(results, region.start, region.end,
		                            pm_kind_name(region.kind), region.mapping);

	if (number > 0 && region.range_count > 1)
		results_set_ranges(results, number, region.ranges, region.range_count);
	else
		free(region.ranges);

	return number;
}

void numbered_table_print(const struct table *table,
                          bool (*row)(void *context, size_t index, struct numbered_row *row),
                          struct out *out)
{
	struct table_column columns[TABLE_COLUMNS_MAX];
	struct table outer = *table;

	if (!out->results || table->column_count == TABLE_COLUMNS_MAX) {
		print(table, out);
		return;
	}

	struct wrapped wrapped = {
		.inner = table, .numbers = alloc_array(NULL, table->rows, sizeof *wrapped.numbers)
	};
	bool any = false;

	for (size_t i = 0; i < table->rows; i++) {
		wrapped.numbers[i] = number_row(table, i, row, out->results);
		any |= wrapped.numbers[i] > 0;
	}

	columns[0] = (struct table_column){ .title = "ID", .style = OUT_DIM };
	memcpy(columns + 1, table->columns, table->column_count * sizeof *columns);
	outer.columns = columns;
	outer.column_count++;
	outer.context = &wrapped;
	outer.cell = cell;
	outer.style = style;
	outer.below = table->below ? below : NULL;
	outer.before_total = table->before_total ? before_total : NULL;

	print(any ? &outer : table, out);
	free(wrapped.numbers);
}
