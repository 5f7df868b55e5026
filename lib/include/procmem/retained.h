/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Which root (graph.h) holds how much memory of malloc.
 *
 * Each reachable chunk is attributed to its nearest root: of the roots of the lowest level from
 * which the chunk is reachable, the one with the fewest steps. So the figures of all roots add up
 * to all reachable memory. A second figure says from which other roots of the same level the chunk
 * is reachable. One stale pointer is enough to make a large structure reachable from a second root:
 * then the structure is in a set of two roots (pm_retained_set), with the chunk in which the set
 * begins.
 */
#ifndef PROCMEM_RETAINED_H
#define PROCMEM_RETAINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/chunk_type.h>
#include <procmem/error.h>
#include <procmem/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Number of roots that sets distinguish: those that hold most memory. */
#define PM_RETAINED_SET_ROOTS 15

/** What a root holds. */
struct pm_retained_root {
	uint32_t root;   /**< index of the root in pm_graph_roots() */
	uint64_t held;   /**< bytes of the chunks for which this is the nearest root */
	uint64_t chunks; /**< number of these chunks */
	/** Whether `only` is known: only for the first PM_RETAINED_SET_ROOTS roots */
	bool only_known;
	/** Bytes of the chunks that are not reachable from another root of the same level */
	uint64_t only;
};

/** The chunks that are reachable from the same roots. */
struct pm_retained_set {
	/** The roots: indexes in pm_retained.roots, ascending */
	uint8_t roots[PM_RETAINED_SET_ROOTS];
	uint8_t count; /**< number of elements of `roots` */
	/** The chunks are also reachable from roots that the sets do not distinguish */
	bool others;
	uint64_t bytes;  /**< sum of the sizes of the chunks */
	uint64_t chunks; /**< number of the chunks */
	/**
	 * Address that malloc returned for the chunk of the set that is nearest to a root: here the
	 * paths from the roots join
	 */
	uint64_t entry;
};

/** Maximum number of sets: the largest are kept. */
#define PM_RETAINED_SETS_MAX 64

/** What all roots hold. */
struct pm_retained {
	uint64_t in_use_chunks;         /**< number of all chunks in use */
	uint64_t in_use_bytes;          /**< sum of their sizes */
	uint64_t lost_chunks;           /**< number of chunks in use that no root reaches */
	uint64_t lost_bytes;            /**< sum of their sizes */
	struct pm_retained_root *roots; /**< roots that hold chunks, by descending `held` */
	size_t root_count;              /**< number of elements of `roots` */
	struct pm_retained_set *sets;   /**< sets of at least 2 roots, by descending `bytes` */
	size_t set_count;               /**< number of elements of `sets` */
};

/**
 * Finds out what all roots hold. Takes up to 18 bytes of memory for each chunk.
 *
 * @param graph     the graph
 * @param retained  receives the result; release with pm_retained_deinit()
 * @param error     PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return          0 or -1
 */
PM_PUBLIC int pm_retained_find(struct pm_graph *graph, struct pm_retained *retained,
                               struct pm_error *error);

/**
 * Releases the memory of a result.
 * @param retained  the result; zeros afterwards
 */
PM_PUBLIC void pm_retained_deinit(struct pm_retained *retained);

/** Maximum number of rows of a tree; the last one takes what does not fit. */
#define PM_RETAINED_ROWS_MAX 16384

/** Maximum number of rows on the way from the root to a row. */
#define PM_RETAINED_DEPTH_MAX 64

/** Value of pm_retained_row.parent: the chunks are directly below the root. */
#define PM_RETAINED_NO_ROW UINT32_MAX

/**
 * A row of a tree: chunks of the same size and type that are held through the chunks of the row
 * above.
 */
struct pm_retained_row {
	uint32_t parent; /**< index of the row above, or PM_RETAINED_NO_ROW */
	uint32_t depth;  /**< number of rows above */
	uint64_t size;   /**< size of each chunk in bytes, with its header; 0 if `other` */
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
	bool cut;     /**< there were too many rows: some chunks are in rows with `other` */
};

/**
 * Finds out through which chunks a root holds the chunks for which it is the nearest root. A chunk
 * is held through its dominator: the last chunk that is on all ways from the root to it. Chunks of
 * the same size and type that are below each other, as in a list, are in one row. Takes about 40
 * bytes of memory for each of these chunks, and 4 bytes for each pointer.
 *
 * @param graph  the graph
 * @param root   index of the root in pm_graph_roots()
 * @param types  finds the types of chunks, or NULL; must outlive the tree
 * @param tree   receives the tree; release with pm_retained_tree_deinit()
 * @param error  PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return       0 or -1
 */
PM_PUBLIC int pm_retained_tree_find(struct pm_graph *graph, uint32_t root,
                                    struct pm_chunk_types *types, struct pm_retained_tree *tree,
                                    struct pm_error *error);

/**
 * Overwrites and releases the memory of a tree.
 * @param tree  the tree; zeros afterwards
 */
PM_PUBLIC void pm_retained_tree_deinit(struct pm_retained_tree *tree);

#ifdef __cplusplus
}
#endif

#endif
