/* SPDX-License-Identifier: MIT */
/*
 * ByteBuffer.allocateDirect() and Netty take the memory of a buffer from malloc. The counter of
 * java.nio.Bits would be exact for the former, but Netty bypasses it, and it is in a Java object
 * that collections move. So the chunks of malloc are added up.
 */
#include "runtimes/hotspot_direct.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/minmax.h"
#include "base/range.h"

/* Direct buffers of servers have some KiB at least; smaller chunks are those of the JVM. */
static const uint64_t chunk_min = UINT64_C(16) << 10;

/*
 * Blocks of the JVM's own arenas, such as those of the compilers: { pointer; length; ... } (Chunk
 * in arena.hpp). The length is that of the rest of the block: the chunk of malloc is 24 bytes
 * larger, or 56 with the header of native memory tracking, which is before the block.
 */
enum { ARENA_BLOCK_HEADER_MIN = 24, ARENA_BLOCK_HEADER_MAX = 72 };

/* Usual arena blocks have 32 KiB; those for a large object are larger. */
static const uint64_t arena_block_max = 1 << 20;

/* A few pages in swap do not matter. */
static const uint64_t swap_max = 1 << 20;

/* The smallest pages that Linux has. */
static const uint64_t page_mask = 4096 - 1;

static int by_size(const void *a, const void *b)
{
	uint64_t one, other;

	memcpy(&one, a, sizeof one);
	memcpy(&other, b, sizeof other);
	return (one > other) - (one < other);
}

uint64_t pm_hotspot_direct_sum(struct pm_direct_sizes *sizes)
{
	const uint64_t *items = sizes->items;
	uint64_t sum = 0;

	if (sizes->count > 1)
		qsort(sizes->items, sizes->count, sizeof *sizes->items, by_size);

	for (size_t i = 0; i < sizes->count; i++) {
		bool repeated = (i > 0 && items[i] == items[i - 1]) ||
		                (i + 1 < sizes->count && items[i] == items[i + 1]);
		if (repeated && items[i] >= chunk_min)
			sum += items[i];
	}

	return sum;
}

/**
 * Copies the ranges of memory that surely belongs to the JVM, sorted and without overlaps.
 *
 * @param count  receives the number of ranges
 * @return       the ranges; NULL if memory is exhausted
 */
static struct pm_range *known_ranges(const struct pm_runtimes *runtimes, size_t *count)
{
	struct pm_range *ranges = malloc((runtimes->range_count + 1) * sizeof *ranges);
	size_t found = 0, kept = 0;

	if (!ranges)
		return NULL;

	for (size_t i = 0; i < runtimes->range_count; i++) {
		const struct pm_owner_range *range = &runtimes->ranges[i];
		if (range->owner != PM_OWNER_MALLOC && range->proof == PM_PROOF_PROVEN)
			ranges[found++] = range->range;
	}
	qsort(ranges, found, sizeof *ranges, pm_range_compare);

	for (size_t i = 0; i < found; i++) {
		if (kept > 0 && ranges[i].start <= ranges[kept - 1].end)
			ranges[kept - 1].end = pm_max(ranges[kept - 1].end, ranges[i].end);
		else
			ranges[kept++] = ranges[i];
	}

	*count = kept;
	return ranges;
}

static bool is_arena_length(const struct pm_chunk *chunk, uint64_t length)
{
	return length < chunk->size && chunk->size - length >= ARENA_BLOCK_HEADER_MIN &&
	       chunk->size - length <= ARENA_BLOCK_HEADER_MAX;
}

/** Returns whether a chunk is a block of an arena of the JVM. */
static bool is_arena_block(struct pm_runtimes_context *context, const struct pm_chunk *chunk)
{
	uint64_t words[4];

	return chunk->size <= arena_block_max &&
	       pm_runtime_read(context, chunk->start, words, sizeof words) &&
	       (is_arena_length(chunk, words[1]) || is_arena_length(chunk, words[3]));
}

/**
 * Returns whether the middle of a chunk was never used. The JVM fills direct buffers with zeros,
 * but of the queues of its collector, 1 MiB for each thread, only a small part is usually used.
 */
static bool is_untouched(struct pm_runtimes_context *context, const struct pm_chunk *chunk)
{
	uint64_t middle = (chunk->start + (chunk->end - chunk->start) / 2) & ~page_mask;

	return pm_runtime_next_present(context, middle, middle + page_mask + 1) != middle;
}

/** Collects the sizes of the large chunks in use that can be direct buffers. */
static bool collect(struct pm_runtimes_context *context, const struct pm_heap *heap,
                    struct pm_direct_sizes *sizes)
{
	sizes->items = malloc((heap->chunk_count + 1) * sizeof *sizes->items);
	sizes->count = 0;
	if (!sizes->items)
		return false;

	for (uint32_t i = 0; i < heap->chunk_count; i++) {
		struct pm_chunk chunk;

		pm_heap_chunk(heap, i, &chunk);
		if (chunk.state == PM_CHUNK_IN_USE && chunk.size >= chunk_min &&
		    !is_arena_block(context, &chunk) && !is_untouched(context, &chunk))
			sizes->items[sizes->count++] = chunk.size;
	}

	return true;
}

/**
 * Returns whether a part of the process is in swap: a walk over the heap would read it, and so
 * bring it back into memory.
 */
static bool is_swapped(const struct pm_regions *regions)
{
	uint64_t swapped = 0;

	for (size_t i = 0; i < regions->count; i++)
		if (regions->items[i].known & PM_SIZE_BIT(PM_SIZE_SWAP))
			swapped += regions->items[i].bytes[PM_SIZE_SWAP];

	return swapped > swap_max;
}

bool pm_hotspot_direct_used(struct pm_runtimes_context *context, uint64_t *used)
{
	struct pm_heap_source source = context->memory;
	struct pm_direct_sizes sizes = { 0 };
	struct pm_heap *heap;

	if (!context->source->walk_heap || is_swapped(context->source->regions))
		return false;

	struct pm_range *skip = known_ranges(context->result, &source.skip_count);
	if (!skip)
		return false;

	/* The search for jemalloc would read all memory. */
	source.hint.searched = pm_runtime_find_file(context, "libjemalloc") == NULL;
	source.skip = skip;

	uint64_t began = pm_clock_ns(CLOCK_MONOTONIC);
	bool known = pm_heap_open(&source, &heap, NULL) == 0;
	context->deadline_ns += pm_clock_ns(CLOCK_MONOTONIC) - began;
	if (known) {
		known = heap->allocator != PM_HEAP_ALLOCATOR_UNKNOWN && !heap->lost &&
		        heap->chunk_count > 0 && collect(context, heap, &sizes) &&
		        !pm_runtime_ends(context);
		pm_heap_close(heap);
	}
	if (known)
		*used = pm_hotspot_direct_sum(&sizes);

	free(sizes.items);
	free(skip);
	return known;
}
