/* SPDX-License-Identifier: MIT */
/*
 * Each chunk is attributed to its nearest root, so the figures of all roots and of the lost chunks
 * add up to what is in use. A line below a root names the roots with which it shares chunks.
 */
#include "heap/retained.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/retained.h>

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/utf8.h"
#include "heap/roots.h"
#include "heap/shared.h"
#include "target/malloc_graph.h"
#include "view/list_print.h"

/** What is printed. */
struct holding {
	const struct heap_options *options;
	struct malloc_graph graph;
	struct pm_retained retained;
	const struct pm_root *roots; /* as in pm_graph_roots() */
	struct row *rows;            /* one for each retained root, then one for lost chunks */
};

/** A row of the list. */
struct row {
	const struct holding *holding;
	size_t index; /* index in pm_retained.roots; root_count for the lost chunks */
};

static bool is_lost(const struct row *row)
{
	return row->index >= row->holding->retained.root_count;
}

static const struct pm_retained_root *held_of(const struct row *row)
{
	return &row->holding->retained.roots[row->index];
}

static const struct pm_root *root_of(const struct row *row)
{
	return &row->holding->roots[held_of(row)->root];
}

static bool held_number(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct row *row = item;

	(void)column;
	*value = is_lost(row) ? row->holding->retained.lost_bytes : held_of(row)->held;
	return true;
}

static bool chunks_number(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct row *row = item;

	(void)column;
	*value = is_lost(row) ? row->holding->retained.lost_chunks : held_of(row)->chunks;
	return true;
}

static bool only_number(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct row *row = item;

	(void)column;
	if (is_lost(row) || !held_of(row)->only_known)
		return false;

	*value = held_of(row)->only;
	return true;
}

static void root_words(const struct list_column *column, const void *item, struct text *text)
{
	const struct row *row = item;

	(void)column;
	if (is_lost(row))
		text_string(text, HEAP_ROOT_NOTHING_ROW);
	else
		heap_roots_put(root_of(row), text);
}

static void name_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct row *row = item;

	(void)column;
	if (!is_lost(row))
		heap_roots_name(root_of(row), text);
}

static void kind_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct row *row = item;

	(void)column;
	text_string(text, is_lost(row) ? "lost"
	                               : pm_root_kind_name((enum pm_root_kind)root_of(row)->kind));
}

static void module_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct row *row = item;

	(void)column;
	if (!is_lost(row))
		text_string(text, root_of(row)->module);
}

static const struct list_column columns[] = {
	{ .name = "held",
	  .title = "HELD",
	  .type = LIST_SIZE,
	  .number = held_number,
	  .help = "chunks for which this is the nearest root" },
	{ .name = "only",
	  .title = "ONLY BY IT",
	  .type = LIST_SIZE,
	  .alone = true,
	  .optional = true,
	  .number = only_number,
	  .help = "chunks that no other root of the same sort reaches; for a stack, no other "
	          "memory either" },
	{ .name = "chunks",
	  .title = "CHUNKS",
	  .type = LIST_COUNT,
	  .number = chunks_number,
	  .help = "number of these chunks" },
	{ .name = "kind",
	  .title = "KIND",
	  .type = LIST_TEXT,
	  .text = kind_text,
	  .help = "kind of the root" },
	{ .name = "name",
	  .title = "NAME",
	  .type = LIST_TEXT,
	  .text = name_text,
	  .help = "name of the variable, or what else is known about the root" },
	{ .name = "module",
	  .title = "MODULE",
	  .type = LIST_TEXT,
	  .text = module_text,
	  .help = "file that contains the root" },
	{ .name = "root",
	  .title = "ROOT",
	  .type = LIST_TEXT,
	  .text = root_words,
	  .help = "name, kind and file of the root" },
};

const struct list_spec heap_retained_spec = {
	.singular = "root",
	.plural = "roots",
	.columns = columns,
	.column_count = sizeof columns / sizeof *columns,
	.table_columns = "held,only,chunks,root",
	.csv_columns = "held,only,chunks,kind,name,module",
	.json_columns = "held,only,chunks,kind,name,module",
	.json_identity = "name",
	.sort = "held",
	.left_out_column = "held",
	.count_column = true,
};

/** Prints with which roots a root shares chunks. */
static void print_shared(const void *item, struct out *out)
{
	const struct row *row = item;
	const struct heap_shared shared = { .options = row->holding->options,
		                            .retained = &row->holding->retained,
		                            .roots = row->holding->roots };

	if (!is_lost(row))
		heap_shared_print(&shared, row->index, out);
}

/** Adds the rows to a list. */
static void add_rows(struct holding *holding, struct list *list)
{
	size_t count = holding->retained.root_count;

	holding->rows = alloc_array(NULL, count + 1, sizeof *holding->rows);
	for (size_t i = 0; i <= count; i++) {
		holding->rows[i] = (struct row){ .holding = holding, .index = i };
		if (i == count ? holding->retained.lost_chunks > 0
		               : holding->retained.roots[i].chunks > 0)
			list_add(list, &holding->rows[i]);
	}
	list_sort(list);
}

/** Adds the name of the process or of the core file. */
static void put_target(const struct malloc_graph *graph, struct text *line)
{
	struct pm_process_info info;

	if (graph->target.process &&
	    pm_process_read_info(graph->target.process, &info, NULL) == 0) {
		utf8_escape(line, info.comm, strlen(info.comm));
		text_format(line, " (%d)", (int)info.pid);
	} else {
		utf8_escape(line, graph->target.word, strlen(graph->target.word));
	}
}

static void print_header(const struct holding *holding, struct out *out)
{
	const struct malloc_graph *graph = &holding->graph;
	const char *about = graph->heap->complete ? "" : "about ";
	struct text line = { 0 };

	put_target(graph, &line);
	text_format(&line, "  %s", about);
	text_grouped(&line, holding->retained.in_use_chunks);
	text_string(&line, " chunks in use, ");
	if (holding->options->output.bytes)
		text_decimal(&line, holding->retained.in_use_bytes);
	else
		text_size(&line, holding->retained.in_use_bytes);
	text_string(&line, "; each is counted for its nearest root\n");
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/** Writes the names of the roots with which a root shares chunks. */
static void put_shared(const struct holding *holding, size_t root, struct json *json)
{
	const struct pm_retained *retained = &holding->retained;
	bool shares[PM_RETAINED_SET_ROOTS] = { false };

	for (size_t i = 0; i < retained->set_count; i++) {
		const struct pm_retained_set *set = &retained->sets[i];

		for (size_t j = 0; heap_shared_has_root(set, root) && j < set->count; j++)
			shares[set->roots[j]] = set->roots[j] != root;
	}

	json_open(json, "shared_with", '[');
	for (size_t i = 0; i < PM_RETAINED_SET_ROOTS; i++) {
		struct text name = { 0 };

		if (!shares[i])
			continue;
		heap_roots_name(&holding->roots[retained->roots[i].root], &name);
		json_put(json, NULL, json_bytes(name.bytes, name.length));
		text_deinit(&name);
	}
	json_shut(json, ']');
}

/** Writes the name of a root. */
static void put_name(const struct holding *holding, const char *key, size_t root, struct json *json)
{
	struct text name = { 0 };

	heap_roots_name(&holding->roots[holding->retained.roots[root].root], &name);
	json_put(json, key, json_bytes(name.bytes, name.length));
	text_deinit(&name);
}

/**
 * Writes the words that lead from a root to the chunks of a set.
 * @param root  index in pm_retained.roots; SIZE_MAX for the roots that sets do not distinguish
 */
static void put_entry_json(const struct holding *holding, const struct pm_retained_entry *entry,
                           size_t root, struct json *json)
{
	json_open(json, NULL, '{');
	if (root != SIZE_MAX)
		put_name(holding, "name", root, json);
	json_put(json, "words", json_number(entry->words));
	if (entry->from != 0)
		json_put(json, "from", json_address(entry->from));
	if (entry->words > 0)
		json_put(json, "entry", json_address(entry->entry));
	json_shut(json, '}');
}

/** Writes the sets of chunks that several roots reach. */
static void put_sets(const struct holding *holding, struct json *json)
{
	json_open(json, "shared", '[');
	for (size_t i = 0; i < holding->retained.set_count; i++) {
		const struct pm_retained_set *set = &holding->retained.sets[i];

		json_open(json, NULL, '{');
		json_open(json, "roots", '[');
		for (size_t k = 0; k < set->count; k++)
			put_name(holding, NULL, set->roots[k], json);
		json_shut(json, ']');
		json_put(json, "other_roots", json_boolean(set->others));
		json_put(json, "bytes", json_number(set->bytes));
		json_put(json, "chunks", json_number(set->chunks));
		json_open(json, "entries", '[');
		for (size_t k = 0; k < set->count; k++)
			put_entry_json(holding, &set->entries[k], set->roots[k], json);
		if (set->others)
			put_entry_json(holding, &set->other_entry, SIZE_MAX, json);
		json_shut(json, ']');
		json_shut(json, '}');
	}
	json_shut(json, ']');
}

static void put_root(const struct holding *holding, size_t index, struct json *json)
{
	const struct row *row = &holding->rows[index];
	const struct pm_retained_root *held = held_of(row);
	const struct pm_root *root = root_of(row);
	struct text name = { 0 };

	heap_roots_name(root, &name);
	json_open(json, NULL, '{');
	json_put(json, "name", json_bytes(name.bytes, name.length));
	if (root->module[0])
		json_put(json, "module", json_text(root->module));
	json_put(json, "kind", json_text(pm_root_kind_name((enum pm_root_kind)root->kind)));
	if (root->start)
		json_put(json, "address", json_address(root->start));
	if (root->thread > 0)
		json_put(json, "thread", json_number((uint64_t)root->thread));
	json_put(json, "held", json_number(held->held));

	if (held->only_known)
		json_put(json, "only", json_number(held->only));
	if (held->but_words > 0) {
		json_put(json, "nearly_only", json_number(held->nearly_only));
		json_put(json, "but_words", json_number(held->but_words));
	}

	json_put(json, "chunks", json_number(held->chunks));
	put_shared(holding, index, json);
	json_shut(json, '}');
	text_deinit(&name);
}

static void print_json(const struct holding *holding, struct out *out)
{
	const struct malloc_graph *graph = &holding->graph;
	const struct pm_retained *retained = &holding->retained;
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	malloc_graph_put_process(graph, &json);
	json_put(&json, "time", json_now());
	json_put(&json, "complete", json_boolean(graph->heap->complete));
	if (graph->stopped_ns > 0)
		json_put(&json, "stopped_us", json_number(graph->stopped_ns / 1000));
	json_put(&json, "in_use", json_number(retained->in_use_bytes));
	json_put(&json, "chunks", json_number(retained->in_use_chunks));

	json_open(&json, "roots", '[');
	for (size_t i = 0; i < retained->root_count; i++)
		if (retained->roots[i].chunks > 0)
			put_root(holding, i, &json);
	json_shut(&json, ']');

	put_sets(holding, &json);

	json_open(&json, "lost", '{');
	json_put(&json, "bytes", json_number(retained->lost_bytes));
	json_put(&json, "chunks", json_number(retained->lost_chunks));
	json_shut(&json, '}');
	json_shut(&json, '}');
	out_string(out, "\n");
}

static int print(struct holding *holding, struct out *out, struct pm_error *error)
{
	const struct heap_options *options = holding->options;
	struct list list;

	if (list_init(&list, &heap_retained_spec, &options->list, options->output.bytes, error) < 0)
		return -1;

	add_rows(holding, &list);
	list.below = print_shared;
	list.lines_above = 1;
	if (options->output.json) {
		print_json(holding, out);
	} else {
		if (!options->list.csv && !options->list.no_header)
			print_header(holding, out);
		list_print(&list, out);
	}

	list_deinit(&list);
	return 0;
}

/** Makes the graph and finds out what its roots hold. */
static int measure(struct holding *holding, const char *word, struct pm_error *error)
{
	const struct malloc_graph_options copy = { .stop_max_ns = holding->options->stop_max_ns,
		                                   .quiet = holding->options->output.quiet,
		                                   .cancel = interrupt_catch() };
	struct malloc_graph *graph = &holding->graph;
	size_t count;

	if (malloc_graph_open(graph, word, &copy, error) < 0 ||
	    pm_retained_find(graph->graph, &holding->retained, error) < 0)
		return -1;

	holding->roots = pm_graph_roots(graph->graph, &count);
	return 0;
}

int heap_retained_print(const char *word, const struct heap_options *options, struct out *out,
                        struct pm_error *error)
{
	struct holding holding = { .options = options };
	int result = measure(&holding, word, error);

	if (result == 0)
		result = print(&holding, out, error);
	if (result == 0) {
		out_flush(out);
		if (!options->output.quiet)
			malloc_graph_report(&holding.graph, options->output.verbose);
		result = holding.graph.heap->complete;
	}

	free(holding.rows);
	pm_retained_deinit(&holding.retained);
	malloc_graph_close(&holding.graph);
	return result;
}
