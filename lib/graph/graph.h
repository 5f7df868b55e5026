/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The nodes of the graph, and the scan of memory for edges. A node is a chunk; its number is that
 * of the chunk in the index of the heap. Private.
 */
#ifndef PM_GRAPH_GRAPH_H
#define PM_GRAPH_GRAPH_H

#include <procmem/graph.h>
#include <procmem/range.h>

#include "heap/heap.h"
#include "heap/index.h"
#include "reader/cancel.h"
#include "reader/copy_buffer.h"

/** Maximum number of bytes that a graph and a search take for each chunk, without what they take
 * for each pointer. */
enum { PM_GRAPH_CHUNK_BYTES = 60 };

/**
 * Consecutive words outside of malloc. All words of the span that point to chunks belong to the
 * same root.
 */
struct pm_root_span {
	struct pm_range range; /**< the words */
	uint32_t root;         /**< index of the root */
};

/**
 * A reference of a root that is not in a span. There are three sorts:
 * - a register that points to a chunk
 * - a word near a stack pointer that points to the header of a chunk. While a thread is inside
 *   malloc, this can be the only pointer to the chunk
 * - memory that looks like a mapped chunk, and may be other memory. It is a root, because other
 *   memory would be one
 */
struct pm_root_register {
	uint32_t root;    /**< index of the root */
	uint32_t target;  /**< the node */
	uint64_t address; /**< number of the register as in pm_roots_register(), address of the
	                     word, or address of the memory */
};

struct pm_graph {
	struct pm_copy *copy;
	const struct pm_heap *heap;
	const struct pm_heap_index *index;
	struct pm_symbols *symbols; /**< NULL if there are none */
	struct pm_graph_options options;
	uint64_t *nodes;     /**< the nodes, packed: see graph.c */
	uint32_t node_count; /**< number of nodes, in all states */
	struct pm_root *roots;
	size_t root_count;
	size_t root_capacity;
	struct pm_root_table *table; /**< finds roots; see roots.c */
	struct pm_root_span *spans;  /**< by ascending address */
	size_t span_count;
	size_t span_capacity;
	struct pm_root_register *registers;
	size_t register_count;
	size_t register_capacity;
	struct pm_range_list memory; /**< the copied memory outside of malloc that is searched */
	struct pm_range_list unused; /**< parts of stacks below stack pointers; not searched */
};

/** Returns the chunk of a node. Slower than the functions below. */
struct pm_chunk pm_graph_chunk(const struct pm_graph *graph, uint32_t node);

/** Returns whether the chunk of a node is in use. */
bool pm_graph_in_use(const struct pm_graph *graph, uint32_t node);

/** Returns whether the chunk of a node was mapped by malloc separately. */
bool pm_graph_is_mapped(const struct pm_graph *graph, uint32_t node);

/** Returns the size of the chunk of a node in bytes, with its header. */
uint64_t pm_graph_size(const struct pm_graph *graph, uint32_t node);

/** Returns the addresses of the chunk of a node, with its header. */
struct pm_range pm_graph_extent(const struct pm_graph *graph, uint32_t node);

/** Returns the addresses that the program may use in the chunk of a node. */
struct pm_range pm_graph_bytes(const struct pm_graph *graph, uint32_t node);

/**
 * Copies the first bytes of the chunk of a node.
 *
 * @param head  receives up to PM_CHUNK_HEAD_SIZE bytes
 * @return      the number of bytes; 0 if they are not in the copy
 */
size_t pm_graph_head(const struct pm_graph *graph, uint32_t node, unsigned char *head);

/**
 * Returns the next part of a range that was copied. After a cancellation, a large range has no more
 * parts, so the caller must test the cancellation flag after the last part.
 *
 * @param rest   the range; receives what follows the part
 * @param part   receives the part
 * @return       the bytes of the part, or NULL if there are no more
 */
const char *pm_graph_next_part(const struct pm_graph *graph, struct pm_range *rest,
                               struct pm_range *part);

/**
 * Called for each edge.
 *
 * @param context  as passed to pm_graph_scan()
 * @param target   the node to which the word points
 * @param address  address of the word
 * @return         0 to continue; any other value ends the scan
 */
typedef int pm_edge_visitor(void *context, uint32_t target, uint64_t address);

/**
 * Finds the words of a range that point to chunks in use. Inline, so that `visit` is inlined, too:
 * this is the innermost loop of all searches.
 *
 * @param last   cache for pm_heap_index_points_to(); 0 before the first call
 * @return       0, or the value with which `visit` ended the scan
 */
static inline __attribute__((always_inline)) int pm_graph_scan(const struct pm_graph *graph,
                                                               struct pm_range range, size_t *last,
                                                               pm_edge_visitor *visit,
                                                               void *context)
{
	const struct pm_heap_index *index = graph->index;
	uint64_t lowest = index->lowest, extent = index->highest - lowest;
	struct pm_range part;
	const char *bytes;

	range.start = (range.start + 7) & ~UINT64_C(7);
	while ((bytes = pm_graph_next_part(graph, &range, &part))) {
		const uint64_t *words = (const void *)bytes;
		size_t count = (size_t)(part.end - part.start) / sizeof *words;

		for (size_t i = 0; i < count; i++) {
			if (words[i] - lowest >= extent)
				continue;
			uint32_t target = pm_heap_index_points_to(index, words[i], last);
			if (target == UINT32_MAX)
				continue;
			int result = visit(context, target, part.start + i * sizeof *words);
			if (result != 0)
				return result;
		}
	}

	return 0;
}

/** Bitmaps with a bit for each node. */
static inline bool pm_bit_test(const uint64_t *bits, uint32_t number)
{
	return bits[number / 64] >> (number % 64) & 1;
}

/** Sets a bit. */
static inline void pm_bit_set(uint64_t *bits, uint32_t number)
{
	bits[number / 64] |= UINT64_C(1) << (number % 64);
}

/** Clears a bit. */
static inline void pm_bit_clear(uint64_t *bits, uint32_t number)
{
	bits[number / 64] &= ~(UINT64_C(1) << (number % 64));
}

/**
 * Allocates an array with an element for each node, filled with zeros.
 * @param bits   size of an element in bits: 1 or a multiple of 8
 * @return       the array, which the caller frees with free(3); NULL with PM_ERROR_RESOURCES
 */
void *pm_graph_array(const struct pm_graph *graph, unsigned bits, struct pm_error *error);

#endif
