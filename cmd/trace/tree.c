/* SPDX-License-Identifier: MIT */
#include "trace/tree.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/minmax.h"

static void add_node(struct trace_tree *tree, const struct trace_node *node)
{
	if (tree->count == tree->capacity) {
		tree->capacity = pm_max_size(tree->capacity * 2, 64);
		tree->nodes = alloc_array(tree->nodes, tree->capacity, sizeof *tree->nodes);
	}
	tree->nodes[tree->count++] = *node;
}

/**
 * Finds a callee, or adds one.
 *
 * @param tree    the tree
 * @param parent  index of the caller
 * @param name    name of the callee, not empty; the tree owns it afterwards
 * @param kind    kind of code
 * @return        index of the callee
 */
static size_t find_child(struct trace_tree *tree, size_t parent, struct text *name,
                         enum frame_kind kind)
{
	struct text key = { 0 };
	bool is_new;

	text_bytes(&key, (const char *)&parent, sizeof parent);
	text_char(&key, (char)kind);
	text_bytes(&key, name->bytes, name->length);
	size_t at = (size_t)trace_numbers_find(&tree->keys, key.bytes, key.length, &is_new) + 1;
	text_deinit(&key);
	if (!is_new) {
		text_deinit(name);
		return at;
	}

	const struct trace_node node = {
		.name = *name,
		.kind = kind,
		.parent = parent,
		.child = TRACE_TREE_NONE,
		.last = TRACE_TREE_NONE,
		.sibling = TRACE_TREE_NONE,
		.depth = tree->nodes[parent].depth + 1,
	};

	add_node(tree, &node);
	if (tree->nodes[parent].last == TRACE_TREE_NONE)
		tree->nodes[parent].child = at;
	else
		tree->nodes[tree->nodes[parent].last].sibling = at;
	tree->nodes[parent].last = at;
	tree->depth = pm_max_size(tree->depth, node.depth);
	return at;
}

/** Adds the amounts of a site to a node. */
static void add_amounts(struct trace_node *node, const struct pm_trace_site *site)
{
	node->bytes += site->resident;
	node->calls += site->calls;
	node->regions += site->regions;
	node->length = pm_max(node->length, site->end - site->start);
}

/** Goes to the node of a remark. */
static size_t enter_marker(struct trace_tree *tree, size_t at, const char *marker,
                           const struct pm_trace_site *site)
{
	struct text name = { 0 };

	text_string(&name, marker);
	at = find_child(tree, at, &name, FRAME_MARKER);
	add_amounts(&tree->nodes[at], site);
	return at;
}

static void add_site(struct trace_tree *tree, const struct pm_trace_site *site,
                     const struct pm_stack *stack)
{
	size_t at = 0;

	add_amounts(&tree->nodes[0], site);
	if (site->before)
		at = enter_marker(tree, at, FRAMES_BEFORE, site);
	if (stack->count == 0)
		at = enter_marker(tree, at, FRAMES_NONE, site);
	else if (stack->cut)
		at = enter_marker(tree, at, FRAMES_CUT, site);

	for (size_t i = stack->count; i-- > 0;) {
		const struct pm_frame *frame = &stack->frames[i];
		struct text name = { 0 };

		if (tree->nodes[at].depth >= TRACE_TREE_DEPTH_MAX)
			return;
		frames_name(frame, &name);
		at = find_child(tree, at, &name, frames_kind(frame));
		add_amounts(&tree->nodes[at], site);
	}
}

/** Computes the positions. Callers are before their callees. */
static void set_positions(struct trace_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		uint64_t start = tree->nodes[i].start;
		size_t child = tree->nodes[i].child;

		for (; child != TRACE_TREE_NONE; child = tree->nodes[child].sibling) {
			tree->nodes[child].start = start;
			start += tree->nodes[child].bytes;
		}
	}
}

void trace_tree_init(struct trace_tree *tree, const struct trace_report *report)
{
	struct trace_node root = { .parent = TRACE_TREE_NONE,
		                   .kind = FRAME_MARKER,
		                   .child = TRACE_TREE_NONE,
		                   .last = TRACE_TREE_NONE,
		                   .sibling = TRACE_TREE_NONE };

	*tree = (struct trace_tree){ 0 };
	text_string(&root.name, report->name[0] ? report->name : "all");
	add_node(tree, &root);

	for (size_t i = 0; i < report->result->count; i++) {
		const struct pm_trace_site *site = &report->result->sites[i];

		if (site->resident > 0 && !trace_report_is_untouched(report, i))
			add_site(tree, site, &report->stacks[i]);
	}
	set_positions(tree);
}

void trace_tree_deinit(struct trace_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		text_deinit(&tree->nodes[i].name);
	trace_numbers_deinit(&tree->keys);
	free(tree->nodes);
}
