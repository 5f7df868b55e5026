/* SPDX-License-Identifier: MIT */
/*
 * The rows of the tree are a list in a fixed order. The last column is indented. Small rows are
 * left out of the table, and the last row has their sums.
 */
#include "heap/tree.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/census.h>
#include <procmem/retained_tree.h>

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/minmax.h"
#include "base/utf8.h"
#include "heap/root_find.h"
#include "heap/roots.h"
#include "target/chunk_text.h"
#include "target/json_parts.h"
#include "target/malloc_graph.h"
#include "view/list_print.h"

enum {
	INDENT = 2,  /* columns for each row above */
	SHARE = 100, /* rows that hold less than 1/SHARE of everything are left out */
};

/** What is printed. */
struct view {
	const struct heap_options *options;
	struct malloc_graph graph;
	const struct pm_root *root; /* NULL: the lost chunks */
	struct pm_retained_tree tree;
	struct row *rows; /* one for each row that is shown, and one for the rest */
};

/** A row of the list. */
struct row {
	const struct pm_retained_row *item; /* NULL for the rest */
	size_t left_out;                    /* the rest: number of rows that are not shown */
	uint64_t chunks;                    /* number of chunks, without rows below */
	uint64_t bytes;                     /* sum of their sizes */
};

/** The numbers of a row, by list_column.index. */
enum number { HELD, OWN, COUNT, SIZE, EXAMPLE, DEPTH };

static bool number_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct row *row = item;
	const struct pm_retained_row none = { 0 }, *own = row->item ? row->item : &none;
	const uint64_t numbers[] = {
		[HELD] = own->held, [OWN] = row->bytes,       [COUNT] = row->chunks,
		[SIZE] = own->size, [EXAMPLE] = own->example, [DEPTH] = own->depth,
	};

	*value = numbers[column->index];
	if (column->index == OWN || column->index == COUNT)
		return true;
	return row->item && (column->index != SIZE || own->size > 0);
}

/** Adds the type and the text of the chunks of a row. */
static void put_content(const struct pm_retained_row *row, struct text *text)
{
	struct pm_chunk_text found = pm_chunk_text_find(row->head, row->head_size);

	if (row->other)
		text_string(text, "chunks of other sizes and types");
	else
		chunk_text_what(row->type, found.text, found.length, found.cut, text);
}

static void what_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct row *row = item;

	(void)column;
	if (!row->item) {
		text_format(text, "in %zu smaller row%s", row->left_out,
		            text_plural(row->left_out));
		return;
	}

	text_fill(text, ' ', INDENT * (size_t)row->item->depth);
	put_content(row->item, text);
}

static void type_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct row *row = item;

	(void)column;
	if (row->item && row->item->type)
		text_string(text, pm_chunk_type_label(row->item->type));
}

static void text_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct row *row = item;

	(void)column;
	if (!row->item || row->item->other)
		return;

	struct pm_chunk_text found = pm_chunk_text_find(row->item->head, row->item->head_size);
	text_bytes(text, found.text, found.length);
}

static const struct list_column columns[] = {
	{ .name = "held",
	  .title = "HELD",
	  .type = LIST_SIZE,
	  .alone = true,
	  .optional = true,
	  .number = number_of,
	  .index = HELD,
	  .help = "these chunks and what is held through them" },
	{ .name = "own",
	  .json = "bytes",
	  .title = "OWN",
	  .type = LIST_SIZE,
	  .number = number_of,
	  .index = OWN,
	  .help = "these chunks alone" },
	{ .name = "count",
	  .title = "COUNT",
	  .type = LIST_COUNT,
	  .number = number_of,
	  .index = COUNT,
	  .help = "number of these chunks" },
	{ .name = "size",
	  .title = "SIZE",
	  .type = LIST_COUNT,
	  .alone = true,
	  .optional = true,
	  .number = number_of,
	  .index = SIZE,
	  .help = "size of each chunk in bytes, with malloc's header" },
	{ .name = "depth",
	  .title = "DEPTH",
	  .type = LIST_NUMBER,
	  .optional = true,
	  .number = number_of,
	  .index = DEPTH,
	  .help = "number of rows through which the row is held" },
	{ .name = "type",
	  .title = "TYPE",
	  .type = LIST_TEXT,
	  .text = type_text,
	  .help = "class of an object, variable that the chunk points to, or sort of the content" },
	{ .name = "text",
	  .title = "TEXT",
	  .type = LIST_TEXT,
	  .text = text_text,
	  .help = "text in the first bytes of the example" },
	{ .name = "example",
	  .title = "EXAMPLE",
	  .type = LIST_ADDRESS,
	  .optional = true,
	  .number = number_of,
	  .index = EXAMPLE,
	  .help = "address of one of the chunks" },
	{ .name = "what",
	  .json = "",
	  .title = "WHAT",
	  .type = LIST_TEXT,
	  .text = what_text,
	  .help = "type and text, indented below the row that holds it" },
};

const struct list_spec heap_tree_spec = {
	.singular = "row",
	.plural = "rows",
	.columns = columns,
	.column_count = sizeof columns / sizeof *columns,
	.table_columns = "held,own,count,size,example,what",
	.csv_columns = "depth,held,own,count,size,type,text,example",
	.json_columns = "depth,held,own,count,size,type,text,example",
	.json_identity = "example",
	.sort = "held",
	.left_out_column = "own",
	.droppable = "own",
	.droppable_last = "example",
	.count_column = true,
};

static int by_held(const void *a, const void *b)
{
	const uint64_t *one = a, *other = b;
	return (*one < *other) - (*one > *other);
}

/** Returns the bytes that a row must hold to be shown. */
static uint64_t least_shown(const struct view *view)
{
	const struct list_options *list = &view->options->list;
	const struct pm_retained_tree *tree = &view->tree;

	if (list->all || list->csv || view->options->output.json)
		return 0;
	if (!list->top_given)
		return tree->bytes / SHARE;
	if (list->top >= tree->count)
		return 0;

	uint64_t *held = alloc_array(NULL, tree->count, sizeof *held);
	for (size_t i = 0; i < tree->count; i++)
		held[i] = tree->rows[i].held;
	qsort(held, tree->count, sizeof *held, by_held);
	uint64_t least = held[list->top] + 1;
	free(held);

	return least;
}

/** Adds the rows to a list, and what is left out as a last row. */
static void add_rows(struct view *view, struct list *list)
{
	const struct pm_retained_tree *tree = &view->tree;
	uint64_t least = least_shown(view);
	struct row rest = { 0 };

	view->rows = alloc_array(NULL, tree->count + 1, sizeof *view->rows);
	for (size_t i = 0; i < tree->count; i++) {
		const struct pm_retained_row *item = &tree->rows[i];
		view->rows[i] =
			(struct row){ .item = item, .chunks = item->chunks, .bytes = item->bytes };
		if (item->held >= least) {
			list_add(list, &view->rows[i]);
			continue;
		}
		rest.left_out++;
		rest.chunks += item->chunks;
		rest.bytes += item->bytes;
	}

	view->rows[tree->count] = rest;
	if (rest.left_out > 0)
		list_add(list, &view->rows[tree->count]);
}

static void print_header(const struct view *view, struct out *out)
{
	const char *about = view->graph.heap->complete ? "" : "about ";
	struct text line = { 0 }, root = { 0 };

	if (!view->root && view->tree.chunks == 0) {
		out_string(out, "no lost chunk was found\n");
		return;
	}

	if (view->root)
		heap_roots_put(view->root, &root);
	utf8_escape(&line, root.bytes, root.length);
	text_format(&line, view->root ? " holds %s" : "possibly lost: %s", about);
	if (view->options->output.bytes)
		text_decimal(&line, view->tree.bytes);
	else
		text_size(&line, view->tree.bytes);
	text_string(&line, " in ");
	text_grouped(&line, view->tree.chunks);
	text_format(&line, " chunk%s", text_plural(view->tree.chunks));
	if (view->root)
		text_string(&line, "; indented chunks are held through those above\n");
	else
		text_string(&line, "; indented chunks were lost through those above\n");

	out_wrapped(out, &line, 2);
	text_deinit(&root);
	text_deinit(&line);
}

static void put_root(const struct pm_root *root, struct json *json)
{
	struct text name = { 0 };

	json_open(json, "root", '{');
	if (!root) {
		json_put(json, "name", json_string(HEAP_ROOT_NOTHING));
		json_put(json, "kind", json_string("lost"));
		json_shut(json, '}');
		return;
	}

	heap_roots_name(root, &name);
	json_put(json, "name", json_bytes(name.bytes, name.length));
	if (root->module[0])
		json_put(json, "module", json_text(root->module));
	json_put(json, "kind", json_text(pm_root_kind_name((enum pm_root_kind)root->kind)));
	if (root->start)
		json_put(json, "address", json_address(root->start));
	if (root->thread > 0)
		json_put(json, "thread", json_number((uint64_t)root->thread));
	json_shut(json, '}');
	text_deinit(&name);
}

static int print_json(const struct view *view, const struct list *list, struct out *out,
                      struct pm_error *error)
{
	const struct pm_retained_tree *tree = &view->tree;
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	malloc_graph_put_process(&view->graph, &json);
	json_put(&json, "time", json_now());
	json_put(&json, "complete", json_boolean(view->graph.heap->complete));
	if (view->graph.stopped_ns > 0)
		json_put(&json, "stopped_us", json_number(view->graph.stopped_ns / 1000));
	put_root(view->root, &json);
	json_put(&json, "held", json_number(tree->bytes));
	json_put(&json, "chunks", json_number(tree->chunks));

	if (json_put_list(&json, "tree", list, error) < 0)
		return -1;

	json_shut(&json, '}');
	out_string(out, "\n");
	return 0;
}

static int print(struct view *view, struct out *out, struct pm_error *error)
{
	const struct heap_options *options = view->options;
	struct list_options all = options->list;
	bool bare = options->list.csv || options->list.no_header;
	struct list list;

	/* The rows are chosen here. */
	all.all = true;
	all.top_given = false;
	if (list_init(&list, &heap_tree_spec, &all, options->output.bytes, error) < 0)
		return -1;

	add_rows(view, &list);
	int result = 0;
	if (options->output.json) {
		result = print_json(view, &list, out, error);
	} else {
		if (!bare)
			print_header(view, out);
		if (view->tree.count > 0 || bare)
			list_print(&list, out);
	}

	list_deinit(&list);
	return result;
}

/** Makes the graph and the tree. */
static int measure(struct view *view, const char *word, struct pm_error *error)
{
	const struct malloc_graph_options copy = { .stop_max_ns = view->options->stop_max_ns,
		                                   .quiet = view->options->output.quiet,
		                                   .cancel = interrupt_catch() };
	struct malloc_graph *graph = &view->graph;
	size_t index = SIZE_MAX, count;
	uint32_t root = PM_RETAINED_LOST;

	if (malloc_graph_open(graph, word, &copy, error) < 0)
		return -1;

	const struct pm_root *roots = pm_graph_roots(graph->graph, &count);
	if (heap_root_find(roots, count, view->options->tree, &index, error) < 0)
		return -1;
	if (index != HEAP_ROOT_LOST) {
		view->root = &roots[index];
		root = (uint32_t)index;
	}

	const struct pm_retained_tree_options options = {
		.types = graph->contents.types,
		.by_type = view->options->by == PM_CENSUS_TYPE,
	};
	return pm_retained_tree_find(graph->graph, root, &options, &view->tree, error);
}

int heap_tree_print(const char *word, const struct heap_options *options, struct out *out,
                    struct pm_error *error)
{
	struct view view = { .options = options };
	int result = measure(&view, word, error);

	if (result == 0)
		result = print(&view, out, error);
	if (result == 0) {
		out_flush(out);
		if (!options->output.quiet)
			malloc_graph_report(&view.graph, options->output.verbose);
		result = view.graph.heap->complete;
	}

	free(view.rows);
	pm_retained_tree_deinit(&view.tree);
	malloc_graph_close(&view.graph);
	return result;
}
