/* SPDX-License-Identifier: MIT */
/*
 * ByteBuffer.allocateDirect() and Netty take the memory of a buffer from malloc. The counter of
 * java.nio.Bits would be exact for the former, but Netty bypasses it, and it is in a Java object
 * that collections move. So the chunks of malloc are added up.
 */
#include "runtimes/hotspot_direct.h"

#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "base/range.h"

/* Direct buffers of servers have some KiB at least; smaller chunks are those of the JVM. */
static const uint64_t chunk_min = 16 * 1024;

/*
 * Chunks of the JVM's own arenas (Chunk::size in arena.hpp): 32 KiB with the header of malloc, and
 * without the slack of 40 bytes. A buffer of 32 KiB needs 16 bytes more.
 */
static const uint64_t arena_chunk_min = 32 * 1024 - 64, arena_chunk_max = 32 * 1024;

static int by_size(const void *a, const void *b)
{
	uint64_t one, other;

	memcpy(&one, a, sizeof one);
	memcpy(&other, b, sizeof other);
	return (one > other) - (one < other);
}

static bool can_be_buffer(uint64_t size)
{
	return size >= chunk_min && (size < arena_chunk_min || size > arena_chunk_max);
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
		if (repeated && can_be_buffer(items[i]))
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

/** Collects the sizes of the large chunks in use. */
static bool collect(const struct pm_heap *heap, struct pm_direct_sizes *sizes)
{
	sizes->items = malloc((heap->chunk_count + 1) * sizeof *sizes->items);
	sizes->count = 0;
	if (!sizes->items)
		return false;

	for (uint32_t i = 0; i < heap->chunk_count; i++) {
		struct pm_chunk chunk;

		pm_heap_chunk(heap, i, &chunk);
		if (chunk.state == PM_CHUNK_IN_USE && chunk.size >= chunk_min)
			sizes->items[sizes->count++] = chunk.size;
	}

	return true;
}

bool pm_hotspot_direct_used(struct pm_runtimes_context *context, uint64_t *used)
{
	struct pm_heap_source source = context->memory;
	struct pm_direct_sizes sizes = { 0 };
	struct pm_heap *heap;

	if (!context->source->walk_heap)
		return false;

	struct pm_range *skip = known_ranges(context->result, &source.skip_count);
	if (!skip)
		return false;

	/* The search for jemalloc would read all memory. */
	source.hint.searched = pm_runtime_find_file(context, "libjemalloc") == NULL;
	source.skip = skip;
	bool known = pm_heap_open(&source, &heap, NULL) == 0;
	if (known) {
		known = heap->allocator != PM_HEAP_ALLOCATOR_UNKNOWN && !heap->lost &&
		        heap->chunk_count > 0 && collect(heap, &sizes);
		pm_heap_close(heap);
	}
	if (known)
		*used = pm_hotspot_direct_sum(&sizes);

	free(sizes.items);
	free(skip);
	return known;
}
