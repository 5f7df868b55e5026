/* SPDX-License-Identifier: MIT */
#include "heap/python_growth.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/delta.h"
#include "base/minmax.h"
#include "base/utf8.h"
#include "heap/python.h"
#include "view/table.h"

enum { RATE, NEW_RATE, NET, TYPE, COLUMNS };

/* Number of types that are shown by default. */
enum { TYPES_SHOWN = 10 };

static const struct table_column columns[COLUMNS] = {
	{ .title = "RATE", .right = true },
	{ .title = "NEW/S", .right = true },
	{ .title = "NET", .right = true },
	{ .title = "PYTHON TYPE" },
};

/** The data of the table. */
struct view {
	const struct heap_python_growth *growth;
	enum delta_rate_unit unit;
};

static int by_name(const void *left, const void *right)
{
	const struct pm_runtime_type *const *a = left, *const *b = right;

	return strcmp((*a)->name, (*b)->name);
}

/** Returns the types of a heap, sorted by name. The caller releases the array. */
static const struct pm_runtime_type **sort_types(const struct pm_python_heap *heap)
{
	const struct pm_runtime_type **types = alloc_array(NULL, heap->type_count + 1,
	                                                   sizeof(const struct pm_runtime_type *));

	for (size_t i = 0; i < heap->type_count; i++)
		types[i] = &heap->types[i];
	if (heap->type_count > 0)
		qsort(types, heap->type_count, sizeof(const struct pm_runtime_type *), by_name);
	return types;
}

static int by_change(const void *left, const void *right)
{
	const struct heap_python_change *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return strcmp(a->type->name, b->type->name);
}

/**
 * Adds the change of a type, if there is one.
 *
 * @param first  the type in the first heap; NULL if it had no objects
 * @param last   the type in the last heap; NULL if it has no objects
 */
static void add(struct heap_python_growth *growth, const struct pm_runtime_type *first,
                const struct pm_runtime_type *last)
{
	static const struct pm_runtime_type none = { 0 };
	struct heap_python_change change = { .type = last ? last : first };

	if (!first)
		first = &none;
	if (!last)
		last = &none;
	change.count = (int64_t)(last->count - first->count);
	change.bytes = (int64_t)(last->bytes - first->bytes);
	if (change.count == 0 && change.bytes == 0)
		return;

	growth->changes[growth->count++] = change;
	growth->grown += change.bytes > 0;
}

void heap_python_growth_compare(struct heap_python_growth *growth)
{
	if (!growth->first || !growth->last)
		return;

	const struct pm_runtime_type **first = sort_types(growth->first);
	const struct pm_runtime_type **last = sort_types(growth->last);
	size_t i = 0, j = 0, ends = growth->first->type_count, end = growth->last->type_count;

	growth->changes = alloc_array(NULL, ends + end + 1, sizeof *growth->changes);
	while (i < ends || j < end) {
		int order = i == ends ? 1 : -1;

		if (i < ends && j < end)
			order = strcmp(first[i]->name, last[j]->name);
		if (order < 0)
			add(growth, first[i], NULL);
		else if (order > 0)
			add(growth, NULL, last[j]);
		else
			add(growth, first[i], last[j]);
		i += order <= 0;
		j += order >= 0;
	}

	if (growth->count > 0)
		qsort(growth->changes, growth->count, sizeof *growth->changes, by_change);
	free(first);
	free(last);
}

/** Returns a change per second. */
static double per_second(const struct heap_python_growth *growth, int64_t change)
{
	return growth->seconds > 0 ? (double)change / growth->seconds : 0;
}

static void cell(void *context, size_t row, size_t column, struct text *text)
{
	const struct view *view = context;
	const struct heap_python_change *change = &view->growth->changes[row];

	switch (column) {
	case RATE:
		delta_put_rate_in(text, per_second(view->growth, change->bytes), view->unit);
		break;
	case NEW_RATE:
		text_format(text, "%.1f", per_second(view->growth, change->count));
		break;
	case NET:
		text_format(text, "%+" PRId64, change->count);
		break;
	default:
		utf8_escape(text, change->type->name, strlen(change->type->name));
	}
}

/** Returns the change of the bytes in use. */
static int64_t net_bytes(const struct heap_python_growth *growth)
{
	return (int64_t)(growth->last->in_use - growth->first->in_use);
}

/** Prints what pymalloc has done as a whole. */
static void print_sums(const struct heap_python_growth *growth, bool exact, struct out *out)
{
	const struct pm_python_heap *last = growth->last;
	struct text line = { 0 };

	text_string(&line, "python ");
	utf8_escape(&line, last->version, strlen(last->version));
	if (last->arenas > 0) {
		text_string(&line, "  net change in pymalloc: ");
		delta_put_bytes(&line, net_bytes(growth), exact);
		text_format(&line, " in %.1f s", growth->seconds);
	}
	if (last->variant[0])
		text_format(&line, "; %s", last->variant);
	if (!growth->first->complete || !last->complete)
		text_string(&line, "; not all pools could be read, so figures are approximate");
	else if (last->types_known && last->arenas > 0 && growth->grown == 0)
		text_string(&line, "; no type of objects grows");
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/** Returns the number of types to print. */
static size_t shown_count(const struct heap_python_growth *growth,
                          const struct heap_options *options)
{
	if (options->list.top_given)
		return (size_t)pm_min(growth->grown, options->list.top);
	if (options->list.all)
		return growth->grown;
	return pm_min_size(growth->grown, TYPES_SHOWN);
}

void heap_python_growth_print(const struct heap_python_growth *growth,
                              const struct heap_options *options, struct out *out)
{
	struct view view = { .growth = growth };
	size_t widths[TABLE_COLUMNS_MAX];

	if (!growth->first || !growth->last)
		return;

	const struct table table = {
		.columns = columns,
		.column_count = COLUMNS,
		.rows = shown_count(growth, options),
		.titles = !options->list.no_header,
		.open_end = out->width == SIZE_MAX,
		.context = &view,
		.cell = cell,
	};

	out_string(out, "\n");
	print_sums(growth, options->output.bytes, out);
	if (table.rows == 0)
		return;

	view.unit = delta_rate_unit(per_second(growth, growth->changes[0].bytes));
	table_measure(&table, widths);
	table_print(&table, widths, out);
	if (table.rows < growth->grown)
		out_format(out, "\xe2\x80\xa6 %zu more types (all: -a)\n",
		           growth->grown - table.rows);
}

void heap_python_growth_put_json(struct json *json, const struct heap_python_growth *growth)
{
	if (!growth->first || !growth->last)
		return;

	heap_python_open_json(json, growth->last);
	json_put(json, "net_bytes", json_integer(net_bytes(growth)));
	json_put(json, "net_seconds", json_real(growth->seconds));
	json_open(json, "types", '[');
	for (size_t i = 0; i < growth->count; i++) {
		const struct heap_python_change *change = &growth->changes[i];

		json_open(json, NULL, '{');
		json_put(json, "type", json_bytes(change->type->name, strlen(change->type->name)));
		json_put(json, "net_count", json_integer(change->count));
		json_put(json, "net_bytes", json_integer(change->bytes));
		json_shut(json, '}');
	}
	json_shut(json, ']');
	json_shut(json, '}');
}

void heap_python_growth_deinit(struct heap_python_growth *growth)
{
	pm_python_heap_close(growth->first);
	pm_python_heap_close(growth->last);
	free(growth->changes);
	*growth = (struct heap_python_growth){ 0 };
}
