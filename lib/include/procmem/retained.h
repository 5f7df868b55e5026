/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Which root (graph.h) holds how much memory of malloc.
 *
 * Each reachable chunk is attributed to its nearest root. Of the roots that reach the chunk, those
 * of the lowest level count; the nearest of them has the fewest pointers on the way. So the figures
 * of all roots add up to all reachable memory. Sets (pm_retained_set) show which chunks are
 * reachable from several roots of the same level. Chunks that a stack holds are also in a set with
 * the other memory (PM_ROOT_ANONYMOUS) that reaches them, although it has another level: a stale
 * word of a stack can point to what the memory of another allocator really holds. One stale pointer
 * is enough to make a large structure reachable from a second root. The structure is then in a set
 * of two roots, with the address of a word that leads there from each of them.
 */
#ifndef PROCMEM_RETAINED_H
#define PROCMEM_RETAINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>
#include <procmem/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Number of roots that sets distinguish: the roots that hold most memory. */
#define PM_RETAINED_SET_ROOTS 15

/** What a root holds. */
struct pm_retained_root {
	uint32_t root;   /**< index of the root in pm_graph_roots() */
	uint64_t held;   /**< bytes of the chunks for which this is the nearest root */
	uint64_t chunks; /**< number of these chunks */
	/** Whether `only` is known: only for the first PM_RETAINED_SET_ROOTS roots */
	bool only_known;
	/** Bytes of the chunks that this root holds, and that are in no set with another root */
	uint64_t only;
	/** `only`, plus the bytes of the sets with `nearly_only` whose `main` is this root */
	uint64_t nearly_only;
	/** Number of words of other roots that lead to these sets */
	uint64_t but_words;
};

/** Maximum number of words of the other root, if pm_retained_set.nearly_only is true. */
#define PM_RETAINED_WORDS_MAX 8

/**
 * The words that lead from a root to the chunks of a set. They are in the memory of the root, or in
 * chunks that are reachable from the root, but not from all roots of the set. If the root reaches
 * the set only through a stale pointer, the stale pointer is one of these words or on the way to
 * them.
 */
struct pm_retained_entry {
	uint64_t words; /**< number of these words */
	uint64_t from;  /**< address of the first of them; 0 if it is in a register */
	uint64_t entry; /**< address that malloc returned for the chunk to which this word points */
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
	/** For each element of `roots`, how this root leads to the chunks */
	struct pm_retained_entry entries[PM_RETAINED_SET_ROOTS];
	/** The same for the roots that the sets do not distinguish, if `others` is true */
	struct pm_retained_entry other_entry;
	/**
	 * Only `main` would reach the chunks without at most PM_RETAINED_WORDS_MAX words of one
	 * other root. Instead of one other root, it can be all roots that the sets do not
	 * distinguish. All of these roots have the level of `main`, and `main` is the nearest root
	 * of more than half of the bytes. The words of the other root may be stale, but those of
	 * `main` may be stale instead
	 */
	bool nearly_only;
	uint8_t main; /**< index in pm_retained.roots; valid if `nearly_only` is true */
};

/** Maximum number of sets: the largest are kept. */
#define PM_RETAINED_SETS_MAX 64

/** What all roots hold. */
struct pm_retained {
	uint64_t in_use_chunks; /**< number of all chunks in use */
	uint64_t in_use_bytes;  /**< sum of their sizes */
	uint64_t lost_chunks;   /**< number of chunks in use that no root reaches */
	uint64_t lost_bytes;    /**< sum of their sizes */
	/**
	 * Roots that hold chunks, by descending `held`. If they are fewer than
	 * PM_RETAINED_SET_ROOTS, roots of the kind PM_ROOT_ANONYMOUS that hold no chunk follow, up
	 * to this number
	 */
	struct pm_retained_root *roots;
	size_t root_count;            /**< number of elements of `roots` */
	struct pm_retained_set *sets; /**< sets of at least 2 roots, by descending `bytes` */
	size_t set_count;             /**< number of elements of `sets` */
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

#ifdef __cplusplus
}
#endif

#endif
