/* SPDX-License-Identifier: MIT */
/** @file The stacks of a trace, merged into a tree from their outermost frames on. */
#ifndef CMD_TRACE_TREE_H
#define CMD_TRACE_TREE_H

#include "base/text.h"
#include "target/frames.h"
#include "trace/numbers.h"
#include "trace/report.h"

/** Maximum depth of a tree. Stacks that are deeper lose their innermost frames. */
enum { TRACE_TREE_DEPTH_MAX = 600 };

/** Index of no node. */
#define TRACE_TREE_NONE SIZE_MAX

/** A node: a function, called by all functions on the path from the root. */
struct trace_node {
	struct text name;     /**< unescaped; owned */
	enum frame_kind kind; /**< kind of code */
	size_t parent;        /**< index of the caller; TRACE_TREE_NONE for the root */
	size_t child;         /**< index of the first callee, or TRACE_TREE_NONE */
	size_t last;          /**< index of the last callee, or TRACE_TREE_NONE */
	size_t sibling;       /**< index of the next callee of the caller, or TRACE_TREE_NONE */
	size_t depth;         /**< number of callers */
	uint64_t start;   /**< position in bytes: that of the caller, plus the siblings before */
	uint64_t bytes;   /**< resident bytes, with those of the callees */
	uint64_t calls;   /**< calls that mapped memory, with those of the callees */
	uint64_t regions; /**< regions that are still mapped */
	uint64_t length;  /**< bytes of the largest region */
};

/** A tree. The first node is the root; the index of a node is larger than that of its caller. */
struct trace_tree {
	struct trace_node *nodes; /**< the nodes; owned */
	size_t count;             /**< number of nodes, at least 1 */
	size_t capacity;          /**< private */
	/** Private: of each node but the root, its caller, kind and name; its number is the index
	 * of the node minus 1 */
	struct trace_numbers keys;
	size_t depth; /**< maximum depth */
};

/**
 * Makes the tree of all sites with resident bytes, except the memory that was mapped before the
 * trace and that no code has touched.
 *
 * @param tree    filled; release it with trace_tree_deinit()
 * @param report  the report
 */
void trace_tree_init(struct trace_tree *tree, const struct trace_report *report);

/** Releases a tree. */
void trace_tree_deinit(struct trace_tree *tree);

#endif
