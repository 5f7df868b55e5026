/* SPDX-License-Identifier: MIT */
#include "view/numbered_table.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "view/results.h"

/** The table that is printed: the numbers, and behind them the other one. */
struct wrapped {
	const struct table *inner;
	size_t *numbers; /* of the rows; 0 for none */
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
	if (column == 0)
		return OUT_DIM;
	const struct table *inner = wrapped->inner;
	return inner->style ? inner->style(inner->context, row, column - 1)
	                    : inner->columns[column - 1].style;
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
	enum { NUMBERS = 5, WORDS = 8 };
	size_t widths[TABLE_COLUMNS_MAX], last = table->column_count - 1;
	if (out->width == SIZE_MAX)
		return true;

	table_measure(table, widths);
	return table_offset(table, widths, last) + (out->results ? NUMBERS : 0) + WORDS <=
	       out->width;
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
		struct numbered_row about = { 0 };
		bool is_there = row(table->context, i, &about);
		wrapped.numbers[i] = is_there ? results_add_region(out->results, about.start,
		                                                   about.end,
		                                                   pm_kind_name(about.kind),
		                                                   about.mapping)
		                              : 0;

		if (is_there && about.range_count > 1)
			results_set_ranges(out->results, wrapped.numbers[i], about.ranges,
			                   about.range_count);
		else
			free(about.ranges);

		any |= is_there;
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
