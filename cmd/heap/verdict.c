/* SPDX-License-Identifier: MIT */
/*
 * A heap is fragmented if most of it is free, but not at the ends of its arenas. The arenas cannot
 * become smaller because of pins: short sequences of used chunks with much free memory on both
 * sides. The most frequent size of these chunks is reported. Chunks in fastbins count as free,
 * because malloc merges them with free chunks beside them. Chunks in tcaches count as used.
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

/** Adjacent chunks. */
struct span {
	uint64_t start; /* address of its first chunk */
	uint64_t end;   /* address after its last chunk */
	uint32_t first; /* number of its first chunk */
	uint32_t count; /* number of chunks */
};

/** What find_pins() has seen last. */
struct scan {
	bool after_free;  /* `used` begins after free memory of at least a page */
	struct span used; /* the chunks since then, without those of `free` */
	struct span free; /* the free chunks after `used` */
};

/** Returns whether malloc can merge a chunk with free chunks beside it. */
static bool is_free(const struct pm_heap *heap, const struct pm_chunk *chunk)
{
	return chunk->state == PM_CHUNK_FREE || chunk->state == PM_CHUNK_TOP ||
	       pm_heap_in_fastbin(heap, chunk);
}

/**
 * Counts a chunk. Keeps its number if it is one of the first, or if its position is a power of two:
 * the samples are then from the whole heap. malloc has overwritten the start of a cached chunk, so
 * such a chunk is not a sample.
 */
static void count_chunk(const struct pm_chunk *chunk, struct pin_counts *counts)
{
	uint64_t index = chunk->size / SIZE_STEP;

	if (index >= SIZES)
		return;

	struct heap_pins *pins = &counts->sizes[index];
	pins->size = chunk->size;
	pins->count++;
	if (chunk->state != PM_CHUNK_IN_USE)
		return;
	if (pins->sample_count < HEAP_PINS_SAMPLES)
		pins->samples[pins->sample_count++] = chunk->number;
	else if ((pins->count & (pins->count - 1)) == 0)
		pins->samples[1 + (size_t)__builtin_ctzll(pins->count) % (HEAP_PINS_SAMPLES - 1)] =
			chunk->number;
}

/** Counts the used chunks of a span. */
static void count_span(const struct pm_heap *heap, const struct span *span,
                       struct pin_counts *counts)
{
	for (uint32_t i = 0; i < span->count; i++) {
		struct pm_chunk chunk;

		pm_heap_chunk(heap, span->first + i, &chunk);
		if (!is_free(heap, &chunk))
			count_chunk(&chunk, counts);
	}
}

/** Adds a chunk to a span, which may be empty. */
static void add_to(struct span *span, const struct pm_chunk *chunk)
{
	if (span->count == 0) {
		span->start = chunk->address;
		span->first = chunk->number;
	}
	span->end = chunk->address + chunk->size;
	span->count++;
}

/** Ends the free memory after the used chunks, and counts these chunks if they are pins. */
static void end_free(const struct pm_heap *heap, struct scan *scan, struct pin_counts *counts)
{
	struct span *used = &scan->used, *free = &scan->free;

	if (free->end - free->start >= PIN_MAX) {
		if (scan->after_free && used->end - used->start <= PIN_MAX)
			count_span(heap, used, counts);
		*scan = (struct scan){ .after_free = true };
		return;
	}

	/* Less free memory is part of the used chunks. */
	if (used->count > 0) {
		used->end = free->end;
		used->count += free->count;
	} else {
		*used = *free;
	}
	*free = (struct span){ 0 };
}

/**
 * Adds a chunk.
 * @param end  address after the chunk before it
 */
static void follow(const struct pm_heap *heap, const struct pm_chunk *chunk, uint64_t end,
                   struct scan *scan, struct pin_counts *counts)
{
	bool free = is_free(heap, chunk);

	if (scan->free.count > 0 && (!free || chunk->address != end))
		end_free(heap, scan, counts);
	if (chunk->address != end)
		*scan = (struct scan){ 0 };
	add_to(free ? &scan->free : &scan->used, chunk);
}

/** Finds the most frequent size of the chunks between large free chunks. */
static struct heap_pins find_pins(const struct pm_heap *heap)
{
	struct pin_counts counts;
	struct scan scan = { 0 };
	struct heap_pins pins = { 0 };
	uint64_t end = 0, total = 0;

	memset(&counts, 0, sizeof counts);
	for (uint32_t i = 0; i < heap->chunk_count; i++) {
		struct pm_chunk chunk;
		pm_heap_chunk(heap, i, &chunk);

		if (chunk.arena == PM_CHUNK_MAPPED)
			continue;
		follow(heap, &chunk, end, &scan, &counts);
		end = chunk.address + chunk.size;
	}
	if (scan.free.count > 0)
		end_free(heap, &scan, &counts);

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
	const struct pm_heap_arena *total = &heap->total;
	uint64_t used = total->in_use + total->cached - total->fast;

	return resident > used ? pm_min(free, resident - used) : 0;
}

struct heap_verdict heap_verdict_make(const struct pm_heap *heap, uint64_t resident)
{
	const struct pm_heap_arena *total = &heap->total;
	uint64_t gaps = total->free + total->fast;
	struct heap_verdict verdict = { .free = gaps + total->top, .resident = resident };
	uint64_t idle = resident_free(heap, verdict.free, resident);

	/* Free memory that is not resident costs nothing. */
	if (idle < FREE_MIN || idle < pm_min(total->system, resident) / 100 * FREE_PERCENT_MIN)
		return verdict;

	if (total->top >= gaps) {
		verdict.type = HEAP_VERDICT_UNUSED;
		return verdict;
	}

	verdict.type = HEAP_VERDICT_FRAGMENTED;
	verdict.pins = find_pins(heap);
	return verdict;
}
