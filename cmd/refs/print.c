/* SPDX-License-Identifier: MIT */
#include "refs/print.h"

#include <inttypes.h>
#include <string.h>

#include <procmem/demangle.h>

#include "base/minmax.h"
#include "base/utf8.h"
#include "refs/outside.h"
#include "target/chunk_text.h"
#include "target/json_parts.h"
#include "target/root_text.h"

/* Indentation of continuation lines, in columns. */
enum { INDENT = 6 };

static const struct pm_root *root_of(const struct refs_found *found, const struct pm_ref *ref)
{
	size_t count;
	return &pm_graph_roots(found->graph->graph, &count)[ref->root];
}

static void put_size(uint64_t size, const struct refs_style *style, struct text *line)
{
	if (style->bytes)
		text_format(line, "%" PRIu64 " B", size);
	else
		text_size(line, size);
}

/** Adds the size of a chunk and what it contains, in parentheses. */
static int put_chunk(const struct refs_found *found, const struct pm_chunk *chunk,
                     const struct refs_style *style, struct text *line, struct pm_error *error)
{
	const struct pm_chunk_type *type;
	struct pm_chunk_text content;
	struct text what = { 0 };

	if (refs_found_content(found, chunk, &type, &content, error) < 0)
		return -1;

	chunk_text_what(type, content.text, content.length, content.cut, &what);
	text_string(line, " (");
	put_size(chunk->size, style, line);
	text_string(line, ", ");
	utf8_escape(line, what.bytes, what.length);
	text_char(line, ')');
	text_deinit(&what);

	return 0;
}

static void end_line(struct text *line, struct out *out)
{
	text_char(line, '\n');
	out_wrapped(out, line, INDENT);
	text_clear(line);
}

/** Adds what is searched if the address is neither in a chunk nor in a variable with a symbol. */
static void put_elsewhere(const struct refs_found *found, struct text *line)
{
	text_string(line, "not in a chunk of malloc, and not in a variable with a symbol: ");
	if (found->to)
		text_format(line, "the pointer in the 8 bytes at %" PRIx64 " is shown",
		            found->range.start);
	else
		text_string(line, "pointers to exactly this address are searched");
}

/** Prints what is at the address. */
static int print_place(const struct refs_found *found, const struct refs_style *style,
                       struct out *out, struct pm_error *error)
{
	struct text line = { 0 };
	int result = 0;

	text_format(&line, "0x%" PRIx64 " is ", found->address);
	if (found->has_chunk) {
		text_format(&line, "in the chunk %" PRIx64 "-%" PRIx64, found->chunk.start,
		            found->chunk.end);
		result = put_chunk(found, &found->chunk, style, &line, error);
		text_format(&line, ", %s", chunk_text_state(found->chunk.state));
	} else if (found->symbol.name) {
		char name[PM_DEMANGLED_SIZE];
		pm_demangle(found->symbol.name, name, sizeof name);
		text_string(&line, "in ");
		utf8_escape(&line, name, strlen(name));
		text_string(&line, " in ");
		utf8_escape(&line, found->symbol.object, strlen(found->symbol.object));
	} else {
		put_elsewhere(found, &line);
	}

	end_line(&line, out);
	if (found->has_chunk && found->chunk.state != PM_CHUNK_IN_USE)
		out_string(out, "the chunk is not in use: if an earlier output showed it in use, "
		                "the program has freed it\n");
	text_deinit(&line);
	return result;
}

/** Adds where a reference is. */
static int put_ref(const struct refs_found *found, const struct pm_ref *ref,
                   const struct refs_style *style, struct text *line, struct pm_error *error)
{
	if (ref->root == REFS_OUTSIDE) {
		text_format(line, "+0x%" PRIx64 " -> ", ref->offset);
		return refs_outside_put(found->graph, ref->value, line, error);
	}
	if (ref->root != PM_REF_CHUNK) {
		root_text(root_of(found, ref), ref->offset, line);
		if (ref->address)
			text_format(line, ", at %" PRIx64, ref->address);
		return 0;
	}

	if (found->to)
		text_format(line, "+0x%" PRIx64 " -> chunk %" PRIx64, ref->offset,
		            ref->chunk.start);
	else
		text_format(line, "chunk %" PRIx64 " +0x%" PRIx64, ref->chunk.start, ref->offset);
	return put_chunk(found, &ref->chunk, style, line, error);
}

/** The references while they are printed. */
struct printing {
	const struct refs_found *found;
	const struct refs_style *style;
	struct out *out;
	struct json *json;
	struct text line;
	struct pm_error *error;
};

/** Adds the number of further references of a group. */
static void put_more(const struct refs_found *found, const struct refs_group *group,
                     struct text *line)
{
	const struct pm_ref *ref = &group->ref;
	uint64_t more = group->count - 1;
	if (more == 0)
		return;

	text_string(line, ", and ");
	text_grouped(line, more);
	if (ref->root == PM_REF_CHUNK)
		text_string(line, " more at this offset in chunks of this size and type");
	else if (root_of(found, ref)->kind == PM_ROOT_REGISTER)
		text_format(line, " more register%s of this thread", text_plural(more));
	else
		text_format(line, " more word%s of the same memory", text_plural(more));
}

static int print_group(void *context, const struct refs_group *group)
{
	struct printing *printing = context;
	struct text *line = &printing->line;

	text_string(line, "  ");
	int result = put_ref(printing->found, &group->ref, printing->style, line, printing->error);
	put_more(printing->found, group, line);
	end_line(line, printing->out);

	return result < 0 ? -1 : out_failed(printing->out);
}

/** Prints the number of references. */
static void print_total(const struct refs_found *found, struct out *out)
{
	struct text line = { 0 };

	if (found->total == 0) {
		out_string(out, found->to ? "no pointers\n" : "no references\n");
		return;
	}

	text_grouped(&line, found->total);
	text_string(&line, found->to ? " pointer" : " reference");
	text_string(&line, text_plural(found->total));
	text_string(&line, ":\n");
	out_text(out, &line);
	text_deinit(&line);
}

/** Adds the number of references that are not shown. */
static void put_left_out(const struct refs_found *found, uint64_t count, struct text *line)
{
	text_string(line, "  \xe2\x80\xa6 ");
	text_grouped(line, count);
	text_format(line, " more %s%s", found->to ? "pointer" : "reference", text_plural(count));
	if (!found->all)
		text_string(line, " (all: -a)");
}

static int print_refs(const struct refs_found *found, const struct refs_style *style,
                      struct out *out, struct pm_error *error)
{
	struct printing printing = { .found = found, .style = style, .out = out, .error = error };
	struct text *line = &printing.line;

	print_total(found, out);
	int result = refs_found_visit(found, print_group, &printing, error);

	if (result == 0 && !found->all && found->kept < found->total) {
		put_left_out(found, found->total - found->kept, line);
		end_line(line, out);
	}

	text_deinit(line);
	return pm_min_int(result, 0);
}

/** Adds what was found out about the chunk of a reference in a tree. */
static void put_further(const struct refs_found *found, size_t index, struct text *line)
{
	const struct pm_refs_node *node = &found->tree.nodes[index];
	const char *noun = found->to ? "pointer" : "reference";
	bool below = node->searched_at != PM_REFS_NO_NODE && node->searched_at > index;

	if (node->again)
		text_string(line, below ? ": see below" : ": see above");
	if (!node->searched)
		return;

	text_string(line, ": ");
	text_grouped(line, node->count);
	text_format(line, " %s%s", noun, text_plural(node->count));
	if (node->kept < node->count)
		text_format(line, ", of which %" PRIu64 " are shown", node->kept);
}

/** Prints references over several levels. */
static int print_tree(const struct refs_found *found, const struct refs_style *style,
                      struct out *out, struct pm_error *error)
{
	const struct pm_refs_tree *tree = &found->tree;
	struct text line = { 0 };
	uint64_t first = 0;
	int result = 0;

	print_total(found, out);
	for (size_t i = 0; result == 0 && i < tree->count; i++) {
		const struct pm_refs_node *node = &tree->nodes[i];
		first += node->depth == 0;
		text_fill(&line, ' ', 2 + 2 * (size_t)node->depth);
		result = put_ref(found, &node->ref, style, &line, error);
		put_further(found, i, &line);
		end_line(&line, out);
	}

	if (first < found->total) {
		put_left_out(found, found->total - first, &line);
		end_line(&line, out);
	}
	text_deinit(&line);

	return result;
}

static int print_path(const struct refs_found *found, const struct refs_style *style,
                      struct out *out, struct pm_error *error)
{
	struct text line = { 0 };
	int result = 0;

	text_string(&line, "path to the nearest root, ");
	text_grouped(&line, found->path.length);
	text_format(&line, " reference%s:\n", text_plural(found->path.length));
	out_wrapped(out, &line, INDENT);
	text_clear(&line);

	for (size_t i = 0; result == 0 && i < found->path.count; i++) {
		const struct pm_path_step *step = &found->path.steps[i];
		text_string(&line, "  <- ");
		result = put_ref(found, &step->ref, style, &line, error);
		if (step->repeats > 1) {
			text_string(&line, ", and ");
			text_grouped(&line, step->repeats - 1);
			text_string(&line, " more of this size in a list");
		}
		end_line(&line, out);
	}

	text_deinit(&line);
	return result;
}

int refs_print_text(const struct refs_found *found, const struct refs_style *style, struct out *out,
                    struct pm_error *error)
{
	if (print_place(found, style, out, error) < 0)
		return -1;

	int result = found->depth > 1 ? print_tree(found, style, out, error)
	                              : print_refs(found, style, out, error);
	if (result < 0)
		return -1;
	if (found->to || !found->has_chunk || found->chunk.state != PM_CHUNK_IN_USE)
		return 0;
	if (found->has_path)
		return print_path(found, style, out, error);

	out_string(out, "no path from a root: the chunk is possibly lost\n");
	return 0;
}

/** Writes a chunk and what it contains. */
static int put_chunk_json(const struct refs_found *found, const struct pm_chunk *chunk,
                          struct json *json, struct pm_error *error)
{
	const struct pm_chunk_type *type;
	struct pm_chunk_text content;
	if (refs_found_content(found, chunk, &type, &content, error) < 0)
		return -1;

	json_open(json, "chunk", '{');
	json_parts_chunk(json, found->graph->heap, chunk);
	json_parts_content(json, type, content.text, content.length);
	json_shut(json, '}');

	return 0;
}

/** Writes the members of a reference. */
static int put_ref_members(const struct refs_found *found, const struct pm_ref *ref,
                           struct json *json, struct pm_error *error)
{
	if (ref->address)
		json_put(json, "address", json_address(ref->address));
	json_put(json, "offset", json_number(ref->offset));
	if (ref->root == PM_REF_CHUNK)
		return put_chunk_json(found, &ref->chunk, json, error);
	if (ref->root == REFS_OUTSIDE)
		return refs_outside_json(found->graph, ref->value, json, error);

	root_text_json(root_of(found, ref), json);
	return 0;
}

/** Writes a reference. */
static int put_ref_json(const struct refs_found *found, const struct pm_ref *ref, uint64_t repeats,
                        struct json *json, struct pm_error *error)
{
	json_open(json, NULL, '{');
	if (repeats > 0)
		json_put(json, "repeats", json_number(repeats));
	int result = put_ref_members(found, ref, json, error);
	json_shut(json, '}');

	return result;
}

/** Writes references over several levels. */
static int put_tree_json(const struct refs_found *found, struct json *json, struct pm_error *error)
{
	int result = 0;

	for (size_t i = 0; result == 0 && i < found->tree.count; i++) {
		const struct pm_refs_node *node = &found->tree.nodes[i];
		json_open(json, NULL, '{');
		json_put(json, "depth", json_number(node->depth));
		result = put_ref_members(found, &node->ref, json, error);
		if (node->searched)
			json_put(json, "count", json_number(node->count));
		if (node->again)
			json_put(json, "again", json_boolean(true));
		json_shut(json, '}');
	}

	return result;
}

static int print_group_json(void *context, const struct refs_group *group)
{
	struct printing *printing = context;
	int result = put_ref_json(printing->found, &group->ref, 0, printing->json, printing->error);

	return result < 0 ? -1 : out_failed(printing->out);
}

int refs_print_json(const struct refs_found *found, struct out *out, struct pm_error *error)
{
	struct json json = { .out = out };
	struct printing printing = { .found = found, .out = out, .json = &json, .error = error };
	int result = 0;

	json_open(&json, NULL, '{');
	malloc_graph_put_process(found->graph, &json);
	json_put(&json, "time", json_now());
	json_put(&json, "complete", json_boolean(found->graph->heap->complete));
	if (found->graph->stopped_ns > 0)
		json_put(&json, "stopped_us", json_number(found->graph->stopped_ns / 1000));
	json_put(&json, "address", json_address(found->address));
	if (found->has_chunk)
		result = put_chunk_json(found, &found->chunk, &json, error);

	json_put(&json, "count", json_number(found->total));
	json_open(&json, found->to ? "pointers" : "referrers", '[');
	if (result == 0 && found->depth > 1)
		result = put_tree_json(found, &json, error);
	else if (result == 0)
		result = pm_min_int(refs_found_visit(found, print_group_json, &printing, error), 0);
	json_shut(&json, ']');

	if (found->has_path) {
		json_open(&json, "path", '[');
		for (size_t i = 0; result == 0 && i < found->path.count; i++)
			result = put_ref_json(found, &found->path.steps[i].ref,
			                      found->path.steps[i].repeats, &json, error);
		json_shut(&json, ']');
	}

	json_shut(&json, '}');
	out_string(out, "\n");
	return result;
}
