/* SPDX-License-Identifier: MIT */
/* Finds chunks by address and by number. In a segment with a bitmap, `boundary` means the first
 * unit of a chunk or of a gap. Gaps are rare: the number of a chunk is the number of boundaries
 * before it, less the number of gaps. */
#include "heap/lookup.h"

enum { BLOCK_UNITS = PM_HEAP_BLOCK_UNITS };

/** A chunk or a gap in a segment. */
struct place {
	const struct pm_heap_segment *segment;
	uint64_t address; /* first address */
	uint32_t rank;    /* number of chunks and gaps before it in the segment */
	unsigned state;   /* enum pm_chunk_state */
};

static const struct pm_heap_segment *segment_above(const struct pm_heap_index *index,
                                                   uint64_t address)
{
	size_t low = 0, count = index->count;
	while (count > 0) {
		size_t half = count / 2;
		bool above = index->starts[low + half] > address;

		low = above ? low : low + half + 1;
		count = above ? half : count - half - 1;
	}

	return index->segments + low;
}

const struct pm_heap_segment *pm_heap_index_segment(const struct pm_heap_index *index,
                                                    uint64_t address)
{
	if (index->count == 0)
		return NULL;

	const struct pm_heap_segment *above = segment_above(index, address);
	if (above == index->segments || address >= above[-1].end)
		return NULL;

	return above - 1;
}

/** Returns bit 1 and bit 0 of the state of the chunk that starts in a unit. */
static inline unsigned state_at(const struct pm_heap_block *block, unsigned bit)
{
	if (bit < BLOCK_UNITS - 1) {
		unsigned pair = block->states >> bit & 3;
		return (pair & 1) << 1 | pair >> 1;
	}

	return (unsigned)(block->states >> bit) << 1 | (unsigned)(block[1].states & 1);
}

/** Finds the boundary at or before an address of a segment with a bitmap. */
static inline struct place find_boundary(const struct pm_heap_segment *segment, uint64_t address)
{
	uint64_t unit = (address - segment->start) / PM_HEAP_UNIT;
	const struct pm_heap_block *block = &segment->blocks[unit / BLOCK_UNITS];
	uint64_t starts = block->starts & (UINT64_MAX >> (BLOCK_UNITS - 1 - unit % BLOCK_UNITS));

	if (!starts) {
		unit = unit / BLOCK_UNITS * BLOCK_UNITS - block->back;
		block = &segment->blocks[unit / BLOCK_UNITS];
		starts = block->starts & (UINT64_MAX >> (BLOCK_UNITS - 1 - unit % BLOCK_UNITS));
	}

	unsigned bit = BLOCK_UNITS - 1 - (unsigned)__builtin_clzll(starts);
	uint64_t before = starts & ~(UINT64_C(1) << bit);
	return (struct place){
		.segment = segment,
		.address = segment->start + ((unit & ~UINT64_C(63)) + bit) * PM_HEAP_UNIT,
		.rank = block->rank + (uint32_t)__builtin_popcountll(before),
		.state = state_at(block, bit),
	};
}

static inline unsigned uniform_state(const struct pm_heap_segment *segment, uint32_t rank)
{
	if (!segment->states)
		return segment->state;

	return segment->states[rank / 32] >> rank % 32 * 2 & 3;
}

/** Finds the chunk or gap that contains an address of a segment. */
static inline struct place find_place(const struct pm_heap_segment *segment, uint64_t address)
{
	if (segment->step == 0)
		return find_boundary(segment, address);

	uint32_t rank = 0;
	if (segment->count > 1)
		rank = (uint32_t)((address - segment->start) / segment->step);

	return (struct place){
		.segment = segment,
		.address = segment->start + rank * segment->step,
		.rank = rank,
		.state = uniform_state(segment, rank),
	};
}

/** Returns the number of gaps of a segment with a lower rank. */
static uint32_t gaps_before(const struct pm_heap_segment *segment, uint32_t rank)
{
	uint32_t low = 0, high = segment->gap_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (segment->gaps[middle] < rank)
			low = middle + 1;
		else
			high = middle;
	}

	return low;
}

static bool is_gap(const struct place *place, uint32_t gaps)
{
	return gaps < place->segment->gap_count && place->segment->gaps[gaps] == place->rank;
}

/** Returns the number of bytes of the next chunk that the program may use. */
static inline uint32_t overlap_of(const struct pm_heap_index *index,
                                  const struct pm_heap_segment *segment)
{
	return segment->arena == PM_CHUNK_MAPPED ? 0 : index->overlap;
}

/** Returns the first boundary after a unit, or the end of the segment. */
static uint64_t boundary_after(const struct pm_heap_segment *segment, uint64_t unit)
{
	uint64_t end = (segment->end - segment->start) / PM_HEAP_UNIT;
	uint64_t block = ++unit / BLOCK_UNITS;
	if (unit >= end)
		return segment->end;

	uint64_t starts = segment->blocks[block].starts & (UINT64_MAX << unit % BLOCK_UNITS);
	while (!starts) {
		if (++block * BLOCK_UNITS >= end)
			return segment->end;
		starts = segment->blocks[block].starts;
	}

	unit = block * BLOCK_UNITS + (unsigned)__builtin_ctzll(starts);
	return segment->start + unit * PM_HEAP_UNIT;
}

/** Describes a chunk, given its address and the address after it. */
static void describe(const struct pm_heap_index *index, const struct pm_heap_segment *segment,
                     uint64_t address, uint64_t end, struct pm_chunk *chunk)
{
	chunk->address = address + segment->lead;
	chunk->start = chunk->address + index->header;
	chunk->end = end;
	chunk->size = end - chunk->address;
	chunk->arena = segment->arena;
	if (chunk->state != PM_CHUNK_TOP)
		chunk->end += overlap_of(index, segment);
	if (chunk->start > chunk->end)
		chunk->start = chunk->end;
}

/** Returns the address after a chunk or gap. */
static uint64_t end_of(const struct place *place)
{
	const struct pm_heap_segment *segment = place->segment;
	if (segment->step > 0)
		return place->address + segment->step;

	return boundary_after(segment, (place->address - segment->start) / PM_HEAP_UNIT);
}

static void describe_place(const struct pm_heap_index *index, const struct place *place,
                           uint32_t gaps, struct pm_chunk *chunk)
{
	chunk->number = place->segment->first + place->rank - gaps;
	chunk->state = (uint8_t)place->state;
	describe(index, place->segment, place->address, end_of(place), chunk);
}

/** Finds the chunk that ends at most `overlap` bytes below an address, if these bytes belong to it.
 */
static bool find_before(const struct pm_heap_index *index, uint64_t address, struct place *place)
{
	uint64_t below = address - index->overlap;
	const struct pm_heap_segment *segment = pm_heap_index_segment(index, below);
	if (!segment || overlap_of(index, segment) == 0)
		return false;

	struct place before = find_place(segment, below);
	if (before.state > PM_CHUNK_CACHED || address < end_of(&before))
		return false;

	*place = before;
	return true;
}

bool pm_heap_index_find(const struct pm_heap_index *index, uint64_t address, struct pm_chunk *chunk)
{
	const struct pm_heap_segment *segment = pm_heap_index_segment(index, address);
	struct place place = { 0 };
	if (segment)
		place = find_place(segment, address);
	if (!segment || address - place.address < index->overlap)
		if (!find_before(index, address, &place) && !segment)
			return false;

	uint32_t gaps = gaps_before(place.segment, place.rank);
	if (is_gap(&place, gaps))
		return false;
	if (chunk)
		describe_place(index, &place, gaps, chunk);

	return true;
}

uint64_t pm_heap_index_gap_end(const struct pm_heap_index *index, uint64_t address)
{
	if (index->count == 0)
		return UINT64_MAX;

	const struct pm_heap_segment *above = segment_above(index, address);
	if (above > index->segments && address < above[-1].end) {
		struct place place = find_place(&above[-1], address);
		return end_of(&place);
	}

	return above < index->segments + index->count ? above->start : UINT64_MAX;
}

/** Finds a chunk or gap of a segment with a bitmap by its rank. */
static struct place find_rank(const struct pm_heap_segment *segment, uint32_t rank)
{
	uint64_t units = (segment->end - segment->start) / PM_HEAP_UNIT;
	uint32_t boundaries = segment->count + segment->gap_count, sample = rank / PM_HEAP_SAMPLE;
	size_t low = segment->samples[sample];
	size_t high = (size_t)((units - 1) / BLOCK_UNITS);
	if (sample < (boundaries - 1) / PM_HEAP_SAMPLE)
		high = segment->samples[sample + 1];

	while (low < high) {
		size_t middle = high - (high - low) / 2;
		if (segment->blocks[middle].rank <= rank)
			low = middle;
		else
			high = middle - 1;
	}

	const struct pm_heap_block *block = &segment->blocks[low];
	uint64_t starts = block->starts;
	for (uint32_t i = block->rank; i < rank; i++)
		starts &= starts - 1;

	unsigned bit = (unsigned)__builtin_ctzll(starts);
	return (struct place){
		.segment = segment,
		.address = segment->start + (low * BLOCK_UNITS + bit) * PM_HEAP_UNIT,
		.rank = rank,
		.state = state_at(block, bit),
	};
}

/** Returns the number of gaps before a chunk, given its number in the segment. */
static uint32_t gaps_before_chunk(const struct pm_heap_segment *segment, uint32_t number)
{
	uint32_t low = 0, high = segment->gap_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (segment->gaps[middle] - middle <= number)
			low = middle + 1;
		else
			high = middle;
	}

	return low;
}

/** Returns the segment of a chunk. */
static const struct pm_heap_segment *segment_of(const struct pm_heap_index *index, uint32_t number)
{
	size_t low = 0, high = index->count;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (index->segments[middle].first <= number)
			low = middle;
		else
			high = middle;
	}

	return &index->segments[low];
}

void pm_heap_index_chunk(const struct pm_heap_index *index, uint32_t number, struct pm_chunk *chunk)
{
	const struct pm_heap_segment *segment = segment_of(index, number);
	uint32_t in_segment = number - segment->first;
	struct place place;
	uint32_t gaps = 0;

	if (segment->step == 0) {
		gaps = gaps_before_chunk(segment, in_segment);
		place = find_rank(segment, in_segment + gaps);
	} else {
		place = find_place(segment, segment->start + in_segment * segment->step);
	}

	describe_place(index, &place, gaps, chunk);
}

static void next_uniform(const struct pm_heap_index *index, const struct pm_heap_segment *segment,
                         struct pm_heap_cursor *cursor, struct pm_chunk *chunk)
{
	uint64_t address = segment->start + cursor->count * segment->step;

	chunk->state = (uint8_t)uniform_state(segment, cursor->count);
	describe(index, segment, address, address + segment->step, chunk);
}

static void next_in_bitmap(const struct pm_heap_index *index, const struct pm_heap_segment *segment,
                           struct pm_heap_cursor *cursor, struct pm_chunk *chunk)
{
	uint64_t address = segment->start + cursor->unit * PM_HEAP_UNIT;
	uint64_t end = boundary_after(segment, cursor->unit);

	while (cursor->gap < segment->gap_count &&
	       segment->gaps[cursor->gap] == cursor->count + cursor->gap) {
		cursor->gap++;
		address = end;
		end = boundary_after(segment, (address - segment->start) / PM_HEAP_UNIT);
	}

	uint64_t unit = (address - segment->start) / PM_HEAP_UNIT;
	chunk->state = (uint8_t)state_at(&segment->blocks[unit / BLOCK_UNITS], unit % BLOCK_UNITS);
	cursor->unit = (end - segment->start) / PM_HEAP_UNIT;
	describe(index, segment, address, end, chunk);
}

bool pm_heap_index_next(const struct pm_heap_index *index, struct pm_heap_cursor *cursor,
                        struct pm_chunk *chunk)
{
	if (cursor->segment < index->count &&
	    cursor->count == index->segments[cursor->segment].count)
		*cursor = (struct pm_heap_cursor){ .segment = cursor->segment + 1 };
	if (cursor->segment >= index->count)
		return false;

	const struct pm_heap_segment *segment = &index->segments[cursor->segment];

	chunk->number = segment->first + cursor->count;
	if (segment->step > 0)
		next_uniform(index, segment, cursor, chunk);
	else
		next_in_bitmap(index, segment, cursor, chunk);
	cursor->count++;

	return true;
}

/** Returns the segment that contains an address; tries the segment with the index `*last` first. */
static inline const struct pm_heap_segment *near_segment(const struct pm_heap_index *index,
                                                         uint64_t address, size_t *last)
{
	if (*last < index->count) {
		const struct pm_heap_segment *segment = &index->segments[*last];
		if (address - segment->start < segment->end - segment->start)
			return segment;
	}

	const struct pm_heap_segment *found = pm_heap_index_segment(index, address);
	if (found)
		*last = (size_t)(found - index->segments);
	return found;
}

uint32_t pm_heap_index_locate(const struct pm_heap_index *index, uint64_t pointer, size_t *last)
{
	/* In glibc, the first 8 bytes of a chunk belong to the chunk before it. So the chunk is
	 * searched 8 bytes below the pointer. */
	const struct pm_heap_segment *segment = near_segment(index, pointer - index->overlap, last);
	if (!segment)
		return UINT32_MAX;

	uint64_t lead = segment->lead;
	if (segment->arena == PM_CHUNK_MAPPED && pointer >= segment->end)
		return UINT32_MAX;

	struct place place = find_place(segment, pointer - index->overlap);
	if (place.state != PM_CHUNK_IN_USE || pointer - place.address < lead + index->header)
		return UINT32_MAX;

	return segment->first + place.rank - gaps_before(segment, place.rank);
}

void pm_heap_index_set_state(struct pm_heap_index *index, uint64_t address,
                             enum pm_chunk_state state)
{
	const struct pm_heap_segment *found = pm_heap_index_segment(index, address);
	if (!found)
		return;

	struct place place = find_place(found, address);
	if (place.address != address || is_gap(&place, gaps_before(found, place.rank)))
		return;

	struct pm_heap_segment *segment = &index->segments[found - index->segments];
	if (segment->step == 0) {
		uint64_t unit = (address - segment->start) / PM_HEAP_UNIT;

		for (unsigned bit = 0; bit < 2; bit++, unit++) {
			uint64_t mask = UINT64_C(1) << unit % BLOCK_UNITS;
			uint64_t *states = &segment->blocks[unit / BLOCK_UNITS].states;

			*states = state >> (1 - bit) & 1 ? *states | mask : *states & ~mask;
		}
	} else if (segment->states) {
		uint64_t *states = &segment->states[place.rank / 32];
		unsigned shift = place.rank % 32 * 2;

		*states = (*states & ~(UINT64_C(3) << shift)) | (uint64_t)state << shift;
	} else {
		segment->state = (uint8_t)state;
	}
}
