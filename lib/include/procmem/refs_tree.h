/* SPDX-License-Identifier: MIT */
/**
 * @file
 * References over several levels: what points to a range, what points to the chunks with these
 * pointers, and so on. Or in the other direction: the chunks to which a range points, the chunks to
 * which these point, and so on.
 */
#ifndef PROCMEM_REFS_TREE_H
#define PROCMEM_REFS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>
#include <procmem/graph.h>
#include <procmem/range.h>
#include <procmem/refs.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum number of levels. */
#define PM_REFS_DEPTH_MAX 100

/** Maximum number of nodes of a tree. */
#define PM_REFS_NODES_MAX 65536

/** Value of pm_refs_node.parent: a reference to (or from) the range itself. */
#define PM_REFS_NO_NODE UINT32_MAX

/** What is searched. */
struct pm_refs_tree_options {
	bool to;        /**< follow pointers from the range, as pm_refs_from() does */
	unsigned depth; /**< number of levels, from 1 to PM_REFS_DEPTH_MAX */
	/** Maximum number of references that are kept for the range; the first ones are kept */
	uint64_t width_first;
	uint64_t width; /**< the same for each chunk on a further level */
};

/** A reference in a tree. */
struct pm_refs_node {
	struct pm_ref ref; /**< the reference, as in pm_refs_find() or pm_refs_from() */
	uint32_t parent;   /**< index of the reference above, or PM_REFS_NO_NODE */
	uint32_t depth;    /**< number of references above */
	/** Whether the references to `ref.chunk` (with pm_refs_tree_options.to: from it) were
	 * searched. False for roots, on the last level, and if `again` is true */
	bool searched;
	bool again; /**< the chunk is at another place in the tree, too, or is the range itself */
	/**
	 * If `again` is true: index of the reference whose chunk is the same and was searched. It
	 * can be before or after this reference. PM_REFS_NO_NODE if the chunk is the range itself,
	 * and if `again` is false
	 */
	uint32_t searched_at;
	uint64_t count; /**< number of references that were found, if `searched` */
	uint64_t kept;  /**< number of those that are in the tree */
};

/** References over several levels. */
struct pm_refs_tree {
	/** The references, in depth-first order: after each reference come those of its chunk, in
	 * the order of pm_refs_find() */
	struct pm_refs_node *nodes;
	size_t count;   /**< number of elements of `nodes` */
	uint64_t total; /**< number of references to (or from) the range */
	bool cut;       /**< there were more than PM_REFS_NODES_MAX references */
};

/**
 * Finds references over several levels. Each level is a scan of all memory, unless `to` is set.
 *
 * @param graph    the graph; roots may be added
 * @param range    the range, such as the bytes of a chunk
 * @param options  what is searched
 * @param tree     receives the references; release with pm_refs_tree_deinit()
 * @param error    PM_ERROR_RESOURCES, PM_ERROR_CANCELLED, PM_ERROR_USAGE (the depth)
 * @return         0 or -1
 */
PM_PUBLIC int pm_refs_tree_find(struct pm_graph *graph, struct pm_range range,
                                const struct pm_refs_tree_options *options,
                                struct pm_refs_tree *tree, struct pm_error *error);

/**
 * Releases the memory of a tree.
 * @param tree  the tree; zeros afterwards
 */
PM_PUBLIC void pm_refs_tree_deinit(struct pm_refs_tree *tree);

#ifdef __cplusplus
}
#endif

#endif
