/* SPDX-License-Identifier: MIT */
/*
 * A heap is fragmented if most of it is free, but not at the ends of its arenas. malloc cannot give
 * this memory back because of pins: short sequences of used chunks with a large free chunk on both
 * sides. The most frequent size of these chunks is reported.
 */
#include "heap/verdict.h"

#include <string.h>

#include "base/minmax.h"

enum {
	/* Less free memory than this is not worth a verdict: malloc keeps up to 128 KiB at the top
	 * of each arena, and programs free as much between two requests. */
	FREE_MIN = 4 << 20,
	FREE_PERCENT_MIN = 50,
	/* A sequence of used chunks is a pin if it is at most this long, in bytes: a page. */
	PIN_MAX = 4096,
	/* Chunk sizes are multiples of 16. */
	SIZE_STEP = 16,
	SIZES = PIN_MAX / SIZE_STEP + 1,
};

/** The chunks of each size in the sequences seen so far. */
struct pin_counts {
	struct heap_pins sizes[SIZES]; /* by size / SIZE_STEP */
};

/** A sequence of used chunks. */
struct sequence {
	bool after_free; /* a free chunk of at least a page is directly before it */
	uint32_t first;  /* number of its first chunk */
	uint32_t count;  /* number of chunks */
	uint64_t bytes;  /* sum of their sizes */
	uint64_t end;    /* address after its last chunk, or after the free chunk before it */
};

/** Returns whether a chunk is free and has at least the size of a page. */
static bool is_gap(const struct pm_chunk *chunk)
{
	bool is_free = chunk->state == PM_CHUNK_FREE || chunk->state == PM_CHUNK_TOP;

	return is_free && chunk->size >= PIN_MAX;
}

/**
 * Counts a chunk, and keeps its number if it is one of the first, or if its position is a power of
 * two: the samples are then from the whole heap.
 */
static void count_chunk(const struct pm_chunk *chunk, struct pin_counts *counts)
{
	uint64_t index = chunk->size / SIZE_STEP;

	if (chunk->state == PM_CHUNK_FREE || index >= SIZES)
		return;

	struct heap_pins *pins = &counts->sizes[index];
	pins->size = chunk->size;
	pins->count++;
	if (pins->sample_count < HEAP_PINS_SAMPLES)
		pins->samples[pins->sample_count++] = chunk->number;
	else if ((pins->count & (pins->count - 1)) == 0)
		pins->samples[1 + (size_t)__builtin_ctzll(pins->count) % (HEAP_PINS_SAMPLES - 1)] =
			chunk->number;
}

static void count_sequence(const struct pm_heap *heap, const struct sequence *sequence,
                           struct pin_counts *counts)
{
	for (uint32_t i = 0; i < sequence->count; i++) {
		struct pm_chunk chunk;

		pm_heap_chunk(heap, sequence->first + i, &chunk);
		count_chunk(&chunk, counts);
	}
}

/** Adds a chunk to the sequence, or ends the sequence. */
static void follow(const struct pm_heap *heap, const struct pm_chunk *chunk,
                   struct sequence *sequence, struct pin_counts *counts)
{
	bool adjacent = chunk->address == sequence->end;

	if (is_gap(chunk)) {
		if (adjacent && sequence->after_free && sequence->bytes <= PIN_MAX)
			count_sequence(heap, sequence, counts);
		*sequence = (struct sequence){ .after_free = true };
	} else if (!adjacent || sequence->count == 0) {
		bool after_free = adjacent && sequence->after_free;
		*sequence = (struct sequence){ .after_free = after_free,
			                       .first = chunk->number,
			                       .count = 1,
			                       .bytes = chunk->size };
	} else {
		sequence->count++;
		sequence->bytes += chunk->size;
	}

	sequence->end = chunk->address + chunk->size;
}

/** Finds the most frequent size of the chunks between large free chunks. */
static struct heap_pins find_pins(const struct pm_heap *heap)
{
	struct pin_counts counts;
	struct sequence sequence = { 0 };
	struct heap_pins pins = { 0 };

	memset(&counts, 0, sizeof counts);
	for (uint32_t i = 0; i < heap->chunk_count; i++) {
		struct pm_chunk chunk;
		pm_heap_chunk(heap, i, &chunk);

		if (chunk.arena != PM_CHUNK_MAPPED)
			follow(heap, &chunk, &sequence, &counts);
	}

	uint64_t total = 0;
	for (size_t i = 0; i < SIZES; i++) {
		total += counts.sizes[i].count;
		if (counts.sizes[i].count > pins.count)
			pins = counts.sizes[i];
	}
	pins.total = total;
	return pins;
}

/** Returns the number of the first chunk that ends after an address; the chunk count if none does.
 */
static uint32_t first_after(const struct pm_heap *heap, uint64_t address)
{
	uint32_t low = 0, high = heap->chunk_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		struct pm_chunk chunk;

		pm_heap_chunk(heap, middle, &chunk);
		if (chunk.address + chunk.size > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/** Returns whether a region contains a chunk of an arena. */
static bool has_arena(const struct pm_heap *heap, const struct pm_region *region)
{
	struct pm_chunk chunk;
	uint32_t number = first_after(heap, region->start);

	if (number >= heap->chunk_count)
		return false;

	pm_heap_chunk(heap, number, &chunk);
	return chunk.address < region->end && chunk.arena != PM_CHUNK_MAPPED;
}

uint64_t heap_verdict_resident(const struct pm_heap *heap, const struct pm_regions *regions)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];

		if (!(region->perms & PM_PERM_WRITE) || !has_arena(heap, region))
			continue;
		if (!pm_region_knows(region, PM_SIZE_RSS))
			return UINT64_MAX;
		sum += region->bytes[PM_SIZE_RSS];
	}
	return sum;
}

uint64_t heap_verdict_anonymous(const struct pm_regions *regions)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < regions->count; i++) {
		if (pm_region_knows(&regions->items[i], PM_SIZE_ANONYMOUS))
			sum += regions->items[i].bytes[PM_SIZE_ANONYMOUS];
	}
	return sum;
}

/** Returns the bytes of free memory that are resident, or all of it if that is not known. */
static uint64_t resident_free(const struct pm_heap *heap, uint64_t free, uint64_t resident)
{
	uint64_t used = heap->total.in_use + heap->total.cached;

	return resident > used ? pm_min(free, resident - used) : 0;
}

struct heap_verdict heap_verdict_make(const struct pm_heap *heap, uint64_t resident)
{
	const struct pm_heap_arena *total = &heap->total;
	struct heap_verdict verdict = { .free = total->free + total->top, .resident = resident };
	uint64_t idle = resident_free(heap, verdict.free, resident);

	/* Free memory that is not resident costs nothing. */
	if (idle < FREE_MIN || idle < pm_min(total->system, resident) / 100 * FREE_PERCENT_MIN)
		return verdict;

	if (total->top >= total->free) {
		verdict.type = HEAP_VERDICT_UNUSED;
		return verdict;
	}

	verdict.type = HEAP_VERDICT_FRAGMENTED;
	verdict.pins = find_pins(heap);
	return verdict;
}
