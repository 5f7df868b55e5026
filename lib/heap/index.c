/* SPDX-License-Identifier: MIT */
/* Builds the index. Chunks are appended to the segment that was added last. Blocks of this segment
 * are allocated when they are needed. */
#include "heap/index.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/minmax.h"
#include "base/search.h"

enum {
	BLOCK_UNITS = PM_HEAP_BLOCK_UNITS,
	BLOCKS_FIRST = 64,
	SKIPPED_MAX = 65536,
	SAMPLE = PM_HEAP_SAMPLE,
};

/* Numbers of chunks are less than this, so that UINT32_MAX can mean that there is no chunk. */
static const uint32_t chunks_max = UINT32_MAX - 1;

static struct pm_heap_segment *append(struct pm_heap_index *index,
                                      const struct pm_heap_segment *segment, struct pm_error *error)
{
	if (pm_array_reserve(&index->segments, &index->capacity, index->count, 1,
	                     sizeof *index->segments, error) < 0)
		return NULL;

	index->segments[index->count] = *segment;
	return &index->segments[index->count++];
}

static void release(struct pm_heap_segment *segment)
{
	free(segment->gaps);
	free(segment->blocks);
	free(segment->samples);
	free(segment->states);
}

/** Allocates and initialises blocks up to the block of a unit. Returns false without memory. */
static bool fill_blocks(struct pm_heap_index *index, struct pm_heap_segment *segment, uint64_t unit)
{
	struct pm_heap_open_segment *current = &index->current;
	size_t needed = (size_t)(unit / BLOCK_UNITS) + 1;
	if (needed <= current->filled)
		return true;

	size_t more = needed - current->filled;
	if (current->block_capacity == 0)
		more = pm_max_size(more, BLOCKS_FIRST);
	if (pm_array_reserve(&segment->blocks, &current->block_capacity, current->filled, more,
	                     sizeof *segment->blocks, NULL) < 0)
		return false;

	for (; current->filled < needed; current->filled++) {
		struct pm_heap_block *block = &segment->blocks[current->filled];

		*block = (struct pm_heap_block){ .rank = current->rank };
		if (current->filled > 0)
			block->back = (uint32_t)(current->filled * BLOCK_UNITS - current->last);
	}

	return true;
}

/**
 * Marks the first unit of a chunk or gap.
 * @param state  the state; 2 for a gap, which may have only one unit, so bit 0 must not be stored
 */
static bool mark(struct pm_heap_index *index, struct pm_heap_segment *segment, uint64_t address,
                 unsigned state)
{
	struct pm_heap_open_segment *current = &index->current;
	uint64_t unit = (address - segment->start) / PM_HEAP_UNIT;
	if (!fill_blocks(index, segment, unit))
		return false;

	struct pm_heap_block *block = &segment->blocks[unit / BLOCK_UNITS];
	unsigned bit = unit % BLOCK_UNITS;

	block->starts |= UINT64_C(1) << bit;
	block->states |= (uint64_t)(state >> 1 & 1) << bit;
	current->last = unit;
	current->rank++;
	if (!(state & 1))
		return true;

	if (!fill_blocks(index, segment, unit + 1))
		return false;
	segment->blocks[(unit + 1) / BLOCK_UNITS].states |= UINT64_C(1) << (unit + 1) % BLOCK_UNITS;
	return true;
}

static bool mark_gap(struct pm_heap_index *index, struct pm_heap_segment *segment, uint64_t address)
{
	struct pm_heap_open_segment *current = &index->current;
	if (pm_array_reserve(&segment->gaps, &current->gap_capacity, segment->gap_count, 1,
	                     sizeof *segment->gaps, NULL) < 0)
		return false;

	segment->gaps[segment->gap_count] = current->rank;
	if (!mark(index, segment, address, 2))
		return false;

	segment->gap_count++;
	return true;
}

/** Sets `samples`. Returns false without memory. */
static bool take_samples(struct pm_heap_segment *segment, size_t blocks, uint32_t ranks)
{
	segment->samples = malloc((ranks / SAMPLE + 1) * sizeof *segment->samples);
	if (!segment->samples)
		return false;

	uint64_t next = 0;
	for (size_t block = 0; block < blocks; block++) {
		uint64_t end = block + 1 < blocks ? segment->blocks[block + 1].rank : ranks;

		for (; next < end; next += SAMPLE)
			segment->samples[next / SAMPLE] = (uint32_t)block;
	}

	return true;
}

/** Ends the segment to which chunks were added. Removes the segment if it has no chunks. */
static void close_segment(struct pm_heap_index *index)
{
	struct pm_heap_open_segment *current = &index->current;
	if (!current->open)
		return;

	struct pm_heap_segment *segment = &index->segments[index->count - 1];

	current->open = false;
	if (current->rank == segment->gap_count) {
		release(segment);
		index->count--;
		return;
	}

	segment->end = current->next;
	segment->count = current->rank - segment->gap_count;
	if (!fill_blocks(index, segment, (segment->end - segment->start) / PM_HEAP_UNIT - 1) ||
	    !take_samples(segment, current->filled, current->rank)) {
		index->failed = true;
		return;
	}

	/* If the memory cannot be made smaller, the larger memory is used. */
	size_t size = pm_max_size(current->filled, 1) * sizeof *segment->blocks;
	void *smaller = realloc(segment->blocks, size);
	if (smaller)
		segment->blocks = smaller;
}

struct pm_heap_segment *pm_heap_index_add_segment(struct pm_heap_index *index, uint64_t start,
                                                  uint64_t end, uint32_t arena,
                                                  struct pm_error *error)
{
	const struct pm_heap_segment segment = { .start = start, .end = end, .arena = arena };

	close_segment(index);
	index->current = (struct pm_heap_open_segment){ .open = true, .next = start, .limit = end };

	struct pm_heap_segment *added = append(index, &segment, error);
	if (!added)
		index->current.open = false;
	return added;
}

/** Adds a uniform segment. Returns NULL with PM_ERROR_RESOURCES. */
static struct pm_heap_segment *append_uniform(struct pm_heap_index *index, uint64_t start,
                                              uint64_t step, uint32_t count, uint32_t arena,
                                              struct pm_error *error)
{
	const struct pm_heap_segment segment = {
		.start = start,
		.end = start + step * count,
		.arena = arena,
		.count = count,
		.step = step,
	};

	close_segment(index);
	return append(index, &segment, error);
}

int pm_heap_index_add_mapped(struct pm_heap_index *index, uint64_t address, uint64_t size,
                             uint64_t lead, struct pm_error *error)
{
	uint64_t end;
	if (size <= lead || __builtin_add_overflow(address, size, &end))
		return 0;

	struct pm_heap_segment *segment = append_uniform(index, address, size, 1, PM_CHUNK_MAPPED,
	                                                 error);
	if (!segment)
		return -1;

	segment->lead = lead;
	return 0;
}

/** Returns the states of chunks, given the bitmap of the free ones; NULL without memory. */
static uint64_t *states_of(const uint64_t *free_chunks, uint32_t count)
{
	uint64_t *states = calloc(count / 32 + 1, sizeof *states);
	if (!states)
		return NULL;

	for (uint32_t i = 0; free_chunks && i < count; i++) {
		uint64_t state = PM_CHUNK_IN_USE;
		if (free_chunks[i / 64] >> i % 64 & 1)
			state = PM_CHUNK_FREE;
		states[i / 32] |= state << i % 32 * 2;
	}

	return states;
}

int pm_heap_index_add_uniform(struct pm_heap_index *index, uint64_t start, uint64_t step,
                              uint32_t count, const uint64_t *free_chunks, uint32_t arena,
                              struct pm_error *error)
{
	uint64_t size, end;
	if (step == 0 || count == 0 || __builtin_mul_overflow(step, count, &size) ||
	    __builtin_add_overflow(start, size, &end))
		return 0;

	struct pm_heap_segment *segment = append_uniform(index, start, step, count, arena, error);
	if (!segment)
		return -1;

	if (count == 1 && !free_chunks)
		return 0;
	segment->states = states_of(free_chunks, count);
	if (segment->states)
		return 0;

	index->count--;
	return pm_error_out_of_memory(error);
}

void pm_heap_index_extend(struct pm_heap_index *index, uint64_t end)
{
	if (index->current.open && end > index->current.limit)
		index->current.limit = index->segments[index->count - 1].end = end;
}

/** Tests whether a chunk can be added to a segment. */
static bool fits(const struct pm_heap_open_segment *current, uint64_t address, uint64_t size)
{
	return current->open && current->rank < chunks_max - 1 && size >= PM_HEAP_CHUNK_MIN &&
	       size % PM_HEAP_UNIT == 0 && address % PM_HEAP_UNIT == 0 &&
	       address >= current->next && address < current->limit &&
	       size <= current->limit - address;
}

/** Ends the current segment, and adds another one for the rest of its range. */
static struct pm_heap_segment *split(struct pm_heap_index *index, uint64_t start)
{
	uint32_t arena = index->segments[index->count - 1].arena;
	return pm_heap_index_add_segment(index, start, index->current.limit, arena, NULL);
}

/** Adds a large chunk as a uniform segment. Returns false without memory. */
static bool add_large(struct pm_heap_index *index, uint64_t address, uint64_t size, unsigned state)
{
	uint64_t limit = index->current.limit;
	uint32_t arena = index->segments[index->count - 1].arena;
	struct pm_heap_segment *large = append_uniform(index, address, size, 1, arena, NULL);
	if (!large)
		return false;

	large->state = (uint8_t)state;
	return pm_heap_index_add_segment(index, address + size, limit, arena, NULL);
}

static bool add_chunk(struct pm_heap_index *index, uint64_t address, uint64_t size, unsigned state)
{
	struct pm_heap_open_segment *current = &index->current;
	struct pm_heap_segment *segment = &index->segments[index->count - 1];

	if (size >= PM_HEAP_LARGE)
		return add_large(index, address, size, state);

	if (current->rank == 0)
		segment->start = address;
	else if (address - current->next >= PM_HEAP_LARGE)
		segment = split(index, address);
	else if (address > current->next && !mark_gap(index, segment, current->next))
		return false;

	if (!segment || !mark(index, segment, address, state))
		return false;

	current->next = address + size;
	return true;
}

void pm_heap_index_add(struct pm_heap_index *index, uint64_t address, uint64_t size, unsigned state)
{
	if (state > PM_CHUNK_TOP || !fits(&index->current, address, size))
		return;

	if (!add_chunk(index, address, size, state)) {
		index->failed = true;
		index->current.open = false;
	}
}

static int by_start(const void *a, const void *b)
{
	const struct pm_heap_segment *one = a, *other = b;
	return (one->start > other->start) - (one->start < other->start);
}

int pm_heap_index_skip(struct pm_heap_index *index, uint64_t start, uint64_t end,
                       struct pm_error *error)
{
	if (start >= end)
		return 0;

	if (index->skipped_count > 0) {
		struct pm_range *last = &index->skipped[index->skipped_count - 1];
		bool joins = start <= last->end && last->start <= end;

		if (joins || index->skipped_count == SKIPPED_MAX) {
			last->start = pm_min(last->start, start);
			last->end = pm_max(last->end, end);
			return 0;
		}
	}

	if (pm_array_reserve(&index->skipped, &index->skipped_capacity, index->skipped_count, 1,
	                     sizeof *index->skipped, error) < 0)
		return -1;

	index->skipped[index->skipped_count++] = (struct pm_range){ start, end };
	return 0;
}

bool pm_heap_index_has_skipped(const struct pm_heap_index *index, uint64_t address)
{
	size_t at = pm_first_above(index->skipped, index->skipped_count, sizeof *index->skipped,
	                           offsetof(struct pm_range, end), address);
	return at < index->skipped_count && index->skipped[at].start <= address;
}

static int by_range_start(const void *a, const void *b)
{
	const struct pm_range *one = a, *other = b;
	return (one->start > other->start) - (one->start < other->start);
}

/** Sorts the skipped ranges, and unites those that overlap or adjoin. */
static void unite_skipped(struct pm_heap_index *index)
{
	size_t kept = 0;
	if (index->skipped_count == 0)
		return;

	qsort(index->skipped, index->skipped_count, sizeof *index->skipped, by_range_start);
	for (size_t i = 1; i < index->skipped_count; i++) {
		struct pm_range *last = &index->skipped[kept];

		if (index->skipped[i].start <= last->end)
			last->end = pm_max(last->end, index->skipped[i].end);
		else
			index->skipped[++kept] = index->skipped[i];
	}

	index->skipped_count = kept + 1;
}

/** Removes segments that overlap, and numbers the chunks of the others. */
static int number_chunks(struct pm_heap_index *index, struct pm_error *error)
{
	uint64_t end = 0, chunks = 0;
	size_t kept = 0;
	int result = 0;

	for (size_t i = 0; i < index->count; i++) {
		struct pm_heap_segment *segment = &index->segments[i];

		if (segment->start < end || chunks + segment->count > chunks_max) {
			if (index->removed == 0)
				index->removed_at = segment->start;
			if (pm_heap_index_skip(index, segment->start, segment->end, error) < 0)
				result = -1;
			index->removed++;
			index->overlaps += segment->start < end;
			release(segment);
			continue;
		}

		segment->first = (uint32_t)chunks;
		chunks += segment->count;
		end = segment->end;
		index->segments[kept++] = *segment;
	}

	index->count = kept;
	index->chunks = (uint32_t)chunks;
	return result;
}

int pm_heap_index_finish(struct pm_heap_index *index, struct pm_error *error)
{
	close_segment(index);
	if (index->failed)
		return pm_error_out_of_memory(error);

	if (index->count > 0)
		qsort(index->segments, index->count, sizeof *index->segments, by_start);
	if (number_chunks(index, error) < 0)
		return -1;
	unite_skipped(index);

	free(index->starts);
	index->starts = malloc((index->count + 1) * sizeof *index->starts);
	if (!index->starts)
		return pm_error_out_of_memory(error);
	for (size_t i = 0; i < index->count; i++)
		index->starts[i] = index->segments[i].start;

	index->lowest = index->highest = 0;
	if (index->count > 0) {
		index->lowest = index->starts[0];
		index->highest = index->segments[index->count - 1].end + index->overlap;
	}

	return 0;
}

void pm_heap_index_deinit(struct pm_heap_index *index)
{
	for (size_t i = 0; i < index->count; i++)
		release(&index->segments[i]);

	free(index->segments);
	free(index->starts);
	free(index->skipped);
	*index = (struct pm_heap_index){ 0 };
}
