/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Through which chunks a root (graph.h) holds memory of malloc.
 */
#ifndef PROCMEM_RETAINED_TREE_H
#define PROCMEM_RETAINED_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/chunk_type.h>
#include <procmem/error.h>
#include <procmem/graph.h>
#include <procmem/heap.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum number of rows of a tree, with the row of the chunks that do not fit (`other`). */
#define PM_RETAINED_ROWS_MAX 16384

/** Maximum number of rows on the way from the root to a row. */
#define PM_RETAINED_DEPTH_MAX 64

/** A root for pm_retained_tree_find() that means the lost chunks, which no root holds. */
#define PM_RETAINED_LOST UINT32_MAX

/** Value of pm_retained_row.parent: the chunks are directly below the root. */
#define PM_RETAINED_NO_ROW UINT32_MAX

/**
 * A row of a tree: chunks of the same size and type that are held through the chunks of the row
 * above.
 */
struct pm_retained_row {
	uint32_t parent; /**< index of the row above, or PM_RETAINED_NO_ROW */
	uint32_t depth;  /**< number of rows above */
	/** Size of each chunk in bytes, with its header; 0 if `other`, or if rows are made by type
	 * and the sizes differ */
	uint64_t size;
	/** Type of the chunks; NULL if it is not known, or if `other` */
	const struct pm_chunk_type *type;
	bool other;      /**< chunks of any size and type, for which there was no row */
	uint64_t chunks; /**< number of chunks */
	uint64_t bytes;  /**< sum of their sizes */
	/** Bytes of these chunks and of all chunks in rows below: what would be unreachable from
	 * the root without the chunks of this row */
	uint64_t held;
	uint64_t held_chunks; /**< number of the chunks that `held` contains */
	uint64_t example;     /**< address that malloc returned for one of the chunks of the row */
	unsigned char head[PM_CHUNK_HEAD_SIZE]; /**< first bytes of the example */
	size_t head_size; /**< number of bytes of `head`; 0 if they are not known */
};

/** What a root holds, through which chunks. */
struct pm_retained_tree {
	uint64_t chunks; /**< number of chunks that the root holds, as pm_retained_root.chunks */
	uint64_t bytes;  /**< sum of their sizes */
	/** Rows in the order of the tree: rows follow the row above them, those that hold most
	 * first */
	struct pm_retained_row *rows;
	size_t count; /**< number of elements of `rows` */
	bool cut;     /**< there were too many rows: some chunks are in the row with `other` */
};

/** Options of a tree. If all fields are zero, the defaults are used. */
struct pm_retained_tree_options {
	/** Finds the types of chunks, or NULL; must outlive the tree */
	struct pm_chunk_types *types;
	bool by_type; /**< a row has chunks of the same type, of all sizes; needs `types` */
};

/**
 * Finds out through which chunks a root holds the chunks for which it is the nearest root. A chunk
 * is held through its dominator: the last chunk that is on all ways from the root to it. Chunks of
 * the same size and type that are below each other, as in a list, are in one row. Takes about 40
 * bytes of memory for each of these chunks, and 4 bytes for each pointer.
 *
 * For PM_RETAINED_LOST, the tree has the lost chunks (leaks.h). Direct chunks are at its top.
 *
 * @param graph    the graph
 * @param root     index of the root in pm_graph_roots(), or PM_RETAINED_LOST
 * @param options  the options, or NULL
 * @param tree     receives the tree; release with pm_retained_tree_deinit()
 * @param error    PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return         0 or -1
 */
PM_PUBLIC int pm_retained_tree_find(struct pm_graph *graph, uint32_t root,
                                    const struct pm_retained_tree_options *options,
                                    struct pm_retained_tree *tree, struct pm_error *error);

/**
 * Overwrites and releases the memory of a tree.
 * @param tree  the tree; zeros afterwards
 */
PM_PUBLIC void pm_retained_tree_deinit(struct pm_retained_tree *tree);

#ifdef __cplusplus
}
#endif

#endif
