/* SPDX-License-Identifier: MIT */
#include "heap/python.h"

#include <string.h>

#include "base/minmax.h"
#include "base/utf8.h"
#include "view/table.h"

enum { COUNT, BYTES, SHARE, TYPE, COLUMNS };

/* Number of types that are shown by default. */
enum { TYPES_SHOWN = 10 };

/* Maximum time for reading in milliseconds: a pool of 16 KiB takes about 20 us. */
enum { TIME_MS = 20000 };

static const struct table_column columns[COLUMNS] = {
	{ .title = "COUNT", .right = true },
	{ .title = "BYTES", .right = true },
	{ .title = "SHARE%", .right = true },
	{ .title = "PYTHON TYPE" },
};

/** The data of the table of types. */
struct view {
	const struct pm_python_heap *heap;
	const struct heap_options *options;
};

int heap_python_read(struct heap_report *report, struct pm_python_heap **heap,
                     struct pm_error *error)
{
	const struct pm_runtimes_source source = {
		.regions = &report->memory.loaded.regions,
		.reader = report->source.reader,
		.pages = report->source.pages,
		.process = report->memory.target.process,
		.cancel = report->memory.cancel,
		.time_ms = TIME_MS,
	};

	return pm_python_heap_open(&source, heap, error);
}

/** Returns the number of types to print. */
static size_t shown_count(const struct pm_python_heap *heap, const struct heap_options *options)
{
	if (options->list.top_given)
		return (size_t)pm_min(heap->type_count, options->list.top);
	if (options->list.all)
		return heap->type_count;
	return pm_min_size(heap->type_count, TYPES_SHOWN);
}

size_t heap_python_lines(const struct pm_python_heap *heap, const struct heap_options *options)
{
	enum {
		OTHER_LINES = 5
	}; /* an empty line, the sums, the titles, and two lines at the end */

	if (!heap)
		return 0;
	return shown_count(heap, options) + OTHER_LINES;
}

static void cell(void *context, size_t row, size_t column, struct text *text)
{
	const struct view *view = context;
	const struct pm_runtime_type *type = &view->heap->types[row];
	bool exact = view->options->output.bytes;

	switch (column) {
	case COUNT:
		if (exact)
			text_decimal(text, type->count);
		else
			text_grouped(text, type->count);
		break;
	case BYTES:
		text_size_as(text, type->bytes, exact);
		break;
	case SHARE:
		text_percent(text, 100.0 * (double)type->bytes / (double)view->heap->in_use);
		break;
	default:
		utf8_escape(text, type->name, strlen(type->name));
	}
}

/** Adds what is in use and free. */
static void put_sums(const struct pm_python_heap *heap, bool exact, struct text *line)
{
	text_string(line, "  pymalloc: in use ");
	text_size_as(line, heap->in_use, exact);
	text_string(line, ", free ");
	text_size_as(line, heap->free, exact);
	text_string(line, " in ");
	text_grouped(line, heap->arenas);
	text_format(line, " arena%s of ", text_plural(heap->arenas));
	text_size_as(line, heap->arena_size, exact);
}

/** Prints the version and the sums. */
static void print_sums(const struct pm_python_heap *heap, bool exact, struct out *out)
{
	struct text line = { 0 };

	text_string(&line, "python");
	if (heap->version[0])
		text_char(&line, ' ');
	utf8_escape(&line, heap->version, strlen(heap->version));
	if (heap->arenas > 0)
		put_sums(heap, exact, &line);

	if (heap->variant[0])
		text_format(&line, "; %s", heap->variant);
	if (heap->missing[0] && heap->arenas > 0)
		text_format(&line, "; %s", heap->missing);
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/** Prints what the rows do not have. */
static void print_rest(const struct view *view, size_t shown, struct out *out)
{
	const struct pm_python_heap *heap = view->heap;
	struct text line = { 0 };

	if (shown < heap->type_count)
		out_format(out, "\xe2\x80\xa6 %zu more types (all: -a)\n",
		           heap->type_count - shown);
	if (heap->other == 0)
		return;

	text_grouped(&line, heap->other);
	text_format(&line, " other block%s: ", text_plural(heap->other));
	text_size_as(&line, heap->other_bytes, view->options->output.bytes);
	text_string(&line,
	            ", such as small tables of dicts and lists; larger ones are in malloc\n");
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

void heap_python_print(const struct pm_python_heap *heap, const struct heap_options *options,
                       struct out *out)
{
	struct view view = { heap, options };
	size_t widths[TABLE_COLUMNS_MAX];

	if (!heap)
		return;

	const struct table table = {
		.columns = columns,
		.column_count = COLUMNS,
		.rows = shown_count(heap, options),
		.titles = true,
		.open_end = out->width == SIZE_MAX,
		.context = &view,
		.cell = cell,
	};

	out_string(out, "\n");
	print_sums(heap, options->output.bytes, out);
	if (table.rows > 0) {
		table_measure(&table, widths);
		table_print(&table, widths, out);
	}
	print_rest(&view, table.rows, out);
}

/** Writes the size classes that have pools. */
static void put_classes(struct json *json, const struct pm_python_heap *heap)
{
	json_open(json, "classes", '[');
	for (size_t i = 0; i < PM_PYTHON_CLASSES; i++) {
		const struct pm_python_class *class = &heap->classes[i];

		if (class->pools == 0)
			continue;
		json_open(json, NULL, '{');
		json_put(json, "size", json_number(class->size));
		json_put(json, "pools", json_number(class->pools));
		json_put(json, "count", json_number(class->count));
		json_put(json, "bytes", json_number(class->count * class->size));
		json_put(json, "free_count", json_number(class->free));
		json_shut(json, '}');
	}
	json_shut(json, ']');
}

static void put_types(struct json *json, const struct pm_python_heap *heap)
{
	json_open(json, "types", '[');
	for (size_t i = 0; i < heap->type_count; i++) {
		const struct pm_runtime_type *type = &heap->types[i];

		json_open(json, NULL, '{');
		json_put(json, "type", json_bytes(type->name, strlen(type->name)));
		json_put(json, "count", json_number(type->count));
		json_put(json, "bytes", json_number(type->bytes));
		json_shut(json, '}');
	}
	json_shut(json, ']');

	json_open(json, "untyped", '{');
	json_put(json, "count", json_number(heap->other));
	json_put(json, "bytes", json_number(heap->other_bytes));
	json_shut(json, '}');
}

/** Writes a text if it is not empty. */
static void put_text(struct json *json, const char *name, const char *text)
{
	if (text[0])
		json_put(json, name, json_bytes(text, strlen(text)));
}

void heap_python_open_json(struct json *json, const struct pm_python_heap *heap)
{
	json_open(json, "python", '{');
	put_text(json, "version", heap->version);
	put_text(json, "variant", heap->variant);
	put_text(json, "missing", heap->missing);
	json_put(json, "complete", json_boolean(heap->complete));
	json_put(json, "arena_count", json_number(heap->arenas));
	json_put(json, "arena_size", json_number(heap->arena_size));
	json_put(json, "pools", json_number(heap->pools));
	json_put(json, "unused_pools", json_number(heap->pools_free));
	json_put(json, "pool_size", json_number(heap->pool_size));
	json_put(json, "in_use", json_number(heap->in_use));
	json_put(json, "free", json_number(heap->free));
}

void heap_python_put_json(struct json *json, const struct pm_python_heap *heap)
{
	if (!heap)
		return;

	heap_python_open_json(json, heap);
	put_classes(json, heap);
	if (heap->types_known)
		put_types(json, heap);
	json_shut(json, '}');
}
