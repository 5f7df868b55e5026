/* SPDX-License-Identifier: MIT */
#include "heap/classes.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "base/report.h"
#include "target/arena_threads.h"
#include "target/chunk_text.h"
#include "view/results.h"

/* Bytes of a chunk that the program cannot use. */
enum { HEADER = 8 };

/* A text is marked as "mostly" if less than this percentage of the compared chunks is known to have
 * it. */
enum { SURE_PERCENT = 90 };

/* Number of rows of one type from which on heap_classes_report_similar() prints a note. */
enum { SIMILAR_MIN = 20 };

/** A row of the list. */
struct heap_class {
	const struct pm_census_class *class;
	const struct heap_report *report;
	uint64_t all; /* bytes of all classes together */
};

static const struct pm_census_class *class_of(const void *item)
{
	return ((const struct heap_class *)item)->class;
}

static unsigned keys_of(const void *item)
{
	return heap_report_keys(((const struct heap_class *)item)->report);
}

/** The numbers of a class, by list_column.index. */
enum number { SIZE, COUNT, BYTES, ZEROS, EQUAL, EXAMPLE };

static bool number_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct pm_census_class *class = class_of(item);

	switch ((enum number)column->index) {
	case SIZE:
		*value = class->size;
		return class->size > 0;
	case COUNT:
		*value = class->count;
		return true;
	case BYTES:
		*value = class->bytes;
		return true;

	case ZEROS:
		*value = class->zeros;
		return class->zeros > 0;
	case EQUAL:
		*value = class->equal;
		return class->equal > 1;
	case EXAMPLE:
		*value = class->example;
		return true;
	}
	return false;
}

/** Returns the share of a class in tenths of a percent. */
static bool share_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct heap_class *row = item;

	(void)column;
	if (row->all == 0)
		return false;

	*value = (uint64_t)((unsigned __int128)row->class->bytes * 1000 / row->all);
	return true;
}

/**
 * Returns the type of a class.
 * @return the type of most of its chunks; NULL if the types differ
 */
static const struct pm_chunk_type *type_of(const struct pm_census_class *class, unsigned keys)
{
	if (keys & PM_CENSUS_TYPE)
		return class->type;

	return class->type_count > class->count / 2 ? class->type : NULL;
}

void heap_classes_put_what(const struct pm_census_class *class, unsigned keys, struct text *text)
{
	const struct pm_chunk_type *type = type_of(class, keys);

	chunk_text_what(type, class->text, class->text_length, class->text_cut, text);
	if (class->text_length > 0 && class->text_percent < SURE_PERCENT)
		text_string(text, " (mostly)");
}

size_t heap_classes_number(struct results *results, const struct pm_census_class *class,
                           unsigned keys)
{
	/* The size includes the header of the chunk, which is before the example. */
	uint64_t size = pm_max(class->size, HEADER + 1) - HEADER;
	struct text what = { 0 };

	heap_classes_put_what(class, keys, &what);
	size_t number = results_add_hit(results, class->example, size, what.bytes, what.length);
	text_deinit(&what);
	return number;
}

static void what_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	heap_classes_put_what(class_of(item), keys_of(item), text);
}

static void type_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct pm_chunk_type *type = type_of(class_of(item), keys_of(item));

	(void)column;
	if (type)
		text_string(text, pm_chunk_type_label(type));
}

static void text_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct pm_census_class *class = class_of(item);

	(void)column;
	text_bytes(text, class->text, class->text_length);
}

static void arena_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct heap_class *row = item;

	(void)column;
	chunk_text_arena(row->report->heap, row->class->arena, text);
}

static json_t *arena_value(const struct list_column *column, const void *item)
{
	const struct heap_class *row = item;
	const struct pm_heap *heap = row->report->heap;

	(void)column;
	if (row->class->arena >= heap->arena_count || heap->arenas[row->class->arena].address == 0)
		return NULL;

	return json_address(heap->arenas[row->class->arena].address);
}

static void threads_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct heap_class *row = item;

	(void)column;
	arena_threads_label(&row->report->threads, row->report->heap, row->class->arena, text);
}

static json_t *threads_value(const struct list_column *column, const void *item)
{
	const struct heap_class *row = item;

	(void)column;
	return arena_threads_json(&row->report->threads, row->class->arena);
}

static void state_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	text_string(text, pm_chunk_state_name((enum pm_chunk_state)class_of(item)->state));
}

/** Gives the example of a class a number in a session. */
static size_t identify(struct results *results, const void *item)
{
	return heap_classes_number(results, class_of(item), keys_of(item));
}

static const struct list_column columns[] = {
	{ .name = "size",
	  .title = "SIZE",
	  .type = LIST_COUNT,
	  .alone = true,
	  .optional = true,
	  .number = number_of,
	  .index = SIZE,
	  .help = "size of each chunk in bytes, with malloc's header" },
	{ .name = "count",
	  .title = "COUNT",
	  .type = LIST_COUNT,
	  .number = number_of,
	  .index = COUNT,
	  .help = "number of chunks" },
	{ .name = "bytes",
	  .title = "BYTES",
	  .type = LIST_SIZE,
	  .number = number_of,
	  .index = BYTES,
	  .help = "size of all chunks of the class" },
	{ .name = "share",
	  .title = "SHARE%",
	  .type = LIST_PERCENT,
	  .number = share_of,
	  .help = "share of the bytes of all counted chunks" },
	{ .name = "zeros",
	  .title = "ZEROS",
	  .type = LIST_COUNT,
	  .optional = true,
	  .number = number_of,
	  .index = ZEROS,
	  .help = "number of chunks whose first 64 bytes are zeros" },
	{ .name = "equal",
	  .title = "EQUAL",
	  .type = LIST_COUNT,
	  .alone = true,
	  .optional = true,
	  .number = number_of,
	  .index = EQUAL,
	  .help = "at least this number of chunks have the same first 64 bytes, if more than one" },
	{ .name = "arena",
	  .title = "ARENA",
	  .type = LIST_TEXT,
	  .text = arena_text,
	  .value = arena_value,
	  .help = "arena of the example; with --by arena, of all chunks" },
	{ .name = "state",
	  .title = "STATE",
	  .type = LIST_TEXT,
	  .text = state_text,
	  .help = "state of the example; with --by state, of all chunks" },
	{ .name = "threads",
	  .title = "THREADS",
	  .type = LIST_TEXT,
	  .text = threads_text,
	  .value = threads_value,
	  .help = "threads that use this arena" },
	{ .name = "type",
	  .title = "TYPE",
	  .type = LIST_TEXT,
	  .text = type_text,
	  .help = "class of an object, variable that the chunk points to, or sort of the content" },
	{ .name = "text",
	  .title = "TEXT",
	  .type = LIST_TEXT,
	  .text = text_text,
	  .help = "text that most chunks contain; # is a number that differs" },
	{ .name = "what",
	  .json = "",
	  .title = "WHAT",
	  .type = LIST_TEXT,
	  .text = what_text,
	  .help = "type and text" },
	{ .name = "example",
	  .title = "EXAMPLE",
	  .type = LIST_ADDRESS,
	  .number = number_of,
	  .index = EXAMPLE,
	  .help = "address of the first chunk" },
};

/* The default columns of JSON for all keys. */
#define JSON_COLUMNS "size,count,bytes,share,zeros,equal,type,text,example"

const struct list_spec heap_classes_spec = {
	.singular = "class",
	.plural = "classes",
	.columns = columns,
	.column_count = sizeof columns / sizeof *columns,
	.table_columns = "size,count,bytes,share,zeros,equal,what",
	.csv_columns = "size,count,bytes,share,zeros,equal,arena,state,type,text,example",
	.json_columns = JSON_COLUMNS,
	.json_identity = "example",
	.sort = "bytes",
	.left_out_column = "bytes",
	.droppable = "equal,zeros",
	.droppable_last = "share",
	.count_column = true,
	.identify = identify,
	.id_prefix = "#",
};

/** Sets the default columns of --by thread. */
static void choose_thread_columns(struct list_spec *spec, unsigned keys)
{
	spec->json_columns = "arena,threads," JSON_COLUMNS;
	spec->json_identity = "arena,threads,example";
	if (keys & PM_CENSUS_STATE)
		spec->json_columns = "arena,threads,state," JSON_COLUMNS;
}

/** Sets the default columns of JSON: the keys and the counts. */
static void choose_columns(struct list_spec *spec, unsigned keys)
{
	bool by_arena = keys & PM_CENSUS_ARENA, by_state = keys & PM_CENSUS_STATE;

	if (by_arena && by_state) {
		spec->json_columns = "arena,state," JSON_COLUMNS;
		spec->json_identity = "arena,state,example";
	} else if (by_arena) {
		spec->json_columns = "arena," JSON_COLUMNS;
		spec->json_identity = "arena,example";
	} else if (by_state) {
		spec->json_columns = "state," JSON_COLUMNS;
		spec->json_identity = "state,example";
	}
}

/** Sets the default columns of the table: the keys and the counts. */
static void choose_table_columns(struct heap_classes *classes, unsigned keys, bool by_thread)
{
	bool by_arena = (keys & PM_CENSUS_ARENA) && !by_thread, by_state = keys & PM_CENSUS_STATE;
	bool has_content = keys & (PM_CENSUS_TYPE | PM_CENSUS_TEXT);
	struct text *names = &classes->columns;

	if (by_arena)
		text_string(names, "arena,");
	if (by_state)
		text_string(names, "state,");
	if (keys & PM_CENSUS_SIZE)
		text_string(names, "size,");
	text_string(names, "count,bytes,share");
	if (!by_thread && !(by_arena && by_state))
		text_string(names, ",zeros,equal");
	if (!by_thread || has_content || by_state)
		text_string(names, ",what");
	if (by_thread)
		text_string(names, ",threads");

	classes->spec.table_columns = text_terminate(names);
}

int heap_classes_init(struct heap_classes *classes, const struct heap_report *report,
                      struct pm_error *error)
{
	*classes = (struct heap_classes){ .spec = heap_classes_spec };
	unsigned keys = heap_report_keys(report);

	if (report->options->by_thread)
		choose_thread_columns(&classes->spec, keys);
	else
		choose_columns(&classes->spec, keys);
	choose_table_columns(classes, keys, report->options->by_thread);
	if (list_init(&classes->list, &classes->spec, &report->options->list,
	              report->options->output.bytes, error) < 0)
		return -1;
	if (!report->census)
		return 0;

	size_t count = pm_census_count(report->census);
	uint64_t all = pm_census_total(report->census).bytes;

	classes->rows = alloc_array(NULL, count, sizeof *classes->rows);
	for (size_t i = 0; i < count; i++) {
		classes->rows[i] = (struct heap_class){ .class = pm_census_get(report->census, i),
			                                .report = report,
			                                .all = all };
		list_add(&classes->list, &classes->rows[i]);
	}

	list_sort(&classes->list);
	return 0;
}

static int compare_types(const void *a, const void *b)
{
	const void *one = *(const void *const *)a, *other = *(const void *const *)b;

	return (one > other) - (one < other);
}

/** Returns the largest number of equal elements, and one of these. */
static size_t count_most(const void *const *sorted, size_t count, const struct pm_chunk_type **type)
{
	size_t most = 0, same = 0;

	for (size_t i = 0; i < count; i++) {
		same = i > 0 && sorted[i] == sorted[i - 1] ? same + 1 : 1;
		if (same <= most)
			continue;
		most = same;
		*type = sorted[i];
	}

	return most;
}

void heap_classes_report_similar(const struct heap_classes *classes)
{
	const struct list *list = &classes->list;
	const struct pm_chunk_type *type = NULL;
	const void **types;

	if (list->count < SIMILAR_MIN ||
	    keys_of(list->items[0]) != (PM_CENSUS_SIZE | PM_CENSUS_TYPE))
		return;

	types = alloc_array(NULL, list->count, sizeof *types);
	for (size_t i = 0; i < list->count; i++)
		types[i] = class_of(list->items[i])->type;
	qsort(types, list->count, sizeof *types, compare_types);
	size_t most = count_most(types, list->count, &type);
	free(types);

	if (!type || most < SIMILAR_MIN)
		return;
	struct text label = { 0 };
	chunk_text_what(type, NULL, 0, false, &label);
	report_note("%zu of %zu rows have the type '%s', and differ in size: --by type or --by "
	            "text counts them together",
	            most, list->count, text_terminate(&label));
	text_deinit(&label);
}

void heap_classes_deinit(struct heap_classes *classes)
{
	list_deinit(&classes->list);
	text_deinit(&classes->columns);
	free(classes->rows);
}

void heap_classes_put_json(struct json *json, const struct pm_census_class *class, unsigned keys)
{
	const struct pm_chunk_type *type = type_of(class, keys);

	if (class->size > 0)
		json_put(json, "size", json_number(class->size));
	if (type)
		json_put(json, "type", json_text(pm_chunk_type_label(type)));
	if (class->text_length > 0)
		json_put(json, "text", json_bytes(class->text, class->text_length));
	json_put(json, "example", json_address(class->example));
}
