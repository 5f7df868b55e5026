/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Lost chunks: chunks in use that are not reachable from any root (graph.h). The program can free
 * them only if it has their addresses in a form that the search does not find.
 *
 * A lost chunk is direct if no other lost chunk points to it. All other lost chunks are indirect:
 * they were lost together with a direct one. The chunks of a cycle point to each other: if no other
 * lost chunk points to the cycle, one of its chunks counts as direct.
 */
#ifndef PROCMEM_LEAKS_H
#define PROCMEM_LEAKS_H

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

/** A lost chunk. */
struct pm_lost {
	struct pm_chunk chunk; /**< the chunk */
	bool direct; /**< no other lost chunk points to it, or it was chosen for its cycle */
	bool cycle;  /**< it is the direct chunk that was chosen for a cycle */
};

/** Lost chunks of equal size and type. */
struct pm_leak_group {
	uint64_t size;         /**< size of a chunk as malloc counts it, with its header */
	uint64_t chunks;       /**< number of lost chunks */
	uint64_t bytes;        /**< sum of their sizes */
	uint64_t direct;       /**< number of direct chunks among them */
	uint64_t direct_bytes; /**< sum of the sizes of the direct chunks */
	uint64_t cycles;       /**< number of direct chunks that were chosen for a cycle */
	/**
	 * Number of indirect chunks that were lost through the direct chunks of this group. They
	 * can be in any group. A chunk that is reachable from several direct chunks counts for the
	 * one with the lowest address. So each lost chunk counts in `direct` or `indirect` of one
	 * group
	 */
	uint64_t indirect;
	uint64_t indirect_bytes; /**< sum of the sizes of these chunks */
	/** Through each direct chunk of the group, the same number of chunks with the same sum of
	 * sizes was lost */
	bool alike;
	/** Type; NULL if no types were requested. Valid as long as the pm_chunk_types */
	const struct pm_chunk_type *type;
	uint64_t example; /**< address that malloc returned: a direct chunk if there is one */
	/** The first bytes of the example */
	unsigned char head[PM_CHUNK_HEAD_SIZE];
	size_t head_size; /**< number of bytes in `head` */
};

/** All lost chunks. */
struct pm_leaks {
	uint64_t in_use_chunks; /**< number of all chunks in use */
	uint64_t in_use_bytes;  /**< sum of their sizes */
	uint64_t chunks;        /**< number of lost chunks */
	uint64_t bytes;         /**< sum of their sizes */
	uint64_t direct;        /**< number of direct chunks */
	uint64_t direct_bytes;  /**< sum of the sizes of the direct chunks */
	uint64_t cycles;        /**< number of direct chunks that were chosen for a cycle */
	/**
	 * Number of lost chunks that are reachable from parts of stacks below the stack pointers.
	 * Usually the program does not use this memory. But these chunks may not be lost if a
	 * thread runs on another part of its stack at the moment, such as an alternate signal stack
	 * or a coroutine
	 */
	uint64_t below_stacks;
	uint64_t below_stacks_bytes;  /**< sum of their sizes */
	struct pm_leak_group *groups; /**< the groups, by descending `bytes` */
	size_t count;                 /**< number of groups */
	/** true if PM_LEAK_GROUPS_MAX groups were not enough: the last one then has size 0, and
	 * contains the chunks that belong to no other group */
	bool cut;
	/** Private: bitmaps of the chunks that are lost, direct, and chosen for a cycle */
	uint64_t *marks[3];
};

/** Maximum number of groups. */
#define PM_LEAK_GROUPS_MAX 65536

/**
 * Finds all lost chunks. Takes up to 9 bytes of memory for each chunk.
 *
 * @param graph  the graph
 * @param types  finds the types of the chunks; NULL: groups are made by size only
 * @param leaks  receives the result; release with pm_leaks_deinit()
 * @param error  PM_ERROR_RESOURCES, PM_ERROR_CANCELLED, PM_ERROR_GONE
 * @return       0 or -1
 */
PM_PUBLIC int pm_leaks_find(struct pm_graph *graph, struct pm_chunk_types *types,
                            struct pm_leaks *leaks, struct pm_error *error);

/**
 * Returns the next lost chunk, by ascending address.
 *
 * @param graph   the graph
 * @param leaks   the result of pm_leaks_find() for this graph
 * @param number  number of the first chunk to test; 0 before the first call. Receives the number
 *                after the returned chunk
 * @param lost    receives the chunk
 * @return        true if there is one
 */
PM_PUBLIC bool pm_leaks_next(const struct pm_graph *graph, const struct pm_leaks *leaks,
                             uint32_t *number, struct pm_lost *lost);

/**
 * Releases the memory of a result.
 * @param leaks  the result; zeros afterwards
 */
PM_PUBLIC void pm_leaks_deinit(struct pm_leaks *leaks);

#ifdef __cplusplus
}
#endif

#endif
