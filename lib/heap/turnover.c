/* SPDX-License-Identifier: MIT */
/* Two indexes of one heap have mostly equal bitmaps. Their segments can begin at different
 * addresses, so the bits of the other index are shifted to the address of a block. */
#include "heap/turnover.h"

#include <string.h>

#include "heap/lookup.h"

enum { UNITS = PM_HEAP_BLOCK_UNITS, BLOCK_BYTES = PM_HEAP_BLOCK_UNITS * PM_HEAP_UNIT };

/** What a search needs. */
struct search {
	const struct pm_heap_index *index;
	const struct pm_heap_index *other;
	pm_turnover_visitor *visit;
	void *context;
	const struct pm_heap_segment *near; /* segment of `other` that was found last */
	uint64_t done;                      /* chunks below this address were tested */
};

/** The bits of 64 units. */
struct bits {
	uint64_t starts;
	uint64_t states;
	bool next_state; /* bit of `states` of the unit after them */
};

/** Returns the segment of the other index that contains an address, or NULL. */
static const struct pm_heap_segment *find_near(struct search *search, uint64_t address)
{
	const struct pm_heap_segment *near = search->near;

	if (!near || address - near->start >= near->end - near->start)
		search->near = near = pm_heap_index_segment(search->other, address);
	return near;
}

/** Returns the number of blocks of a segment with a bitmap. */
static uint64_t block_count(const struct pm_heap_segment *segment)
{
	return (segment->end - segment->start + BLOCK_BYTES - 1) / BLOCK_BYTES;
}

/** Returns the bits of a segment with a bitmap from a unit on; 0 after its end. */
static struct bits bits_at(const struct pm_heap_segment *segment, uint64_t unit)
{
	uint64_t number = unit / UNITS, count = block_count(segment);
	unsigned shift = unit % UNITS;
	const struct pm_heap_block *block = &segment->blocks[number];
	struct bits bits = { block->starts >> shift, block->states >> shift, false };

	if (number + 1 >= count)
		return bits;
	bits.next_state = block[1].states >> shift & 1;
	if (shift > 0) {
		bits.starts |= block[1].starts << (UNITS - shift);
		bits.states |= block[1].states << (UNITS - shift);
	}
	return bits;
}

/** Tests one chunk of the index: visits it if the other index does not have it. */
static int test_chunk(struct search *search, uint64_t address)
{
	const uint64_t overlap = search->index->overlap;
	struct pm_chunk chunk, there;

	if (address < search->done)
		return 0;
	search->done = address + 1;
	/* The first bytes of a chunk count as those of the chunk before it. */
	if (!pm_heap_index_find(search->index, address + overlap, &chunk) ||
	    chunk.state != PM_CHUNK_IN_USE)
		return 0;
	if (find_near(search, address) &&
	    pm_heap_index_find(search->other, address + overlap, &there) &&
	    there.state == PM_CHUNK_IN_USE && there.address == chunk.address &&
	    there.size == chunk.size)
		return 0;
	return search->visit(search->context, &chunk);
}

/**
 * Tests the chunks in use that start in a block.
 * @param there  the bits of the other index at the same address; zeros if it has none
 */
static int test_block(struct search *search, uint64_t address, const struct bits *here,
                      const struct bits *there)
{
	for (uint64_t rest = here->starts; rest; rest &= rest - 1) {
		unsigned bit = (unsigned)__builtin_ctzll(rest);
		uint64_t above = bit < UNITS - 1 ? UINT64_MAX << (bit + 1) : 0;
		uint64_t next = here->starts & above, next_there = there->starts & above;
		int result;

		if (bit < UNITS - 1 && (here->states >> bit & 3) != PM_CHUNK_IN_USE)
			continue;

		/* Both start here, are in use, and end at the same unit of this block. */
		if (bit < UNITS - 1 && next && next_there &&
		    (next & -next) == (next_there & -next_there) && (there->starts >> bit & 1) &&
		    (there->states >> bit & 3) == PM_CHUNK_IN_USE)
			continue;

		result = test_chunk(search, address + (uint64_t)bit * PM_HEAP_UNIT);
		if (result != 0)
			return result;
	}
	return 0;
}

/** Tests the last chunk that starts before a block: its end can be in the block. */
static int test_before(struct search *search, const struct pm_heap_segment *segment,
                       uint64_t number)
{
	uint64_t address = segment->start + number * BLOCK_BYTES, back = 0;

	if (number == 0)
		return 0;
	if (number < block_count(segment)) {
		back = segment->blocks[number].back;
	} else {
		const struct pm_heap_block *last = &segment->blocks[number - 1];

		back = last->starts ? 1 + (unsigned)__builtin_clzll(last->starts)
		                    : (uint64_t)last->back + UNITS;
	}
	return back == 0 ? 0 : test_chunk(search, address - back * PM_HEAP_UNIT);
}

static int test_bitmap(struct search *search, const struct pm_heap_segment *segment)
{
	uint64_t count = block_count(segment);
	int result = 0;

	for (uint64_t i = 0; result == 0 && i < count; i++) {
		uint64_t address = segment->start + i * BLOCK_BYTES;
		struct bits here = bits_at(segment, i * UNITS), there = { 0 };
		const struct pm_heap_segment *near = find_near(search, address);

		if (near && near->step == 0 && address + BLOCK_BYTES <= near->end)
			there = bits_at(near, (address - near->start) / PM_HEAP_UNIT);
		if (here.starts == there.starts && here.states == there.states &&
		    here.next_state == there.next_state && i + 1 < count)
			continue;

		result = test_before(search, segment, i);
		if (result == 0)
			result = test_block(search, address, &here, &there);
	}

	return result == 0 ? test_before(search, segment, count) : result;
}

static int test_uniform(struct search *search, const struct pm_heap_segment *segment)
{
	const struct pm_heap_segment *there = find_near(search, segment->start);
	bool similar = there && there->start == segment->start && there->step == segment->step &&
	               there->count == segment->count && there->arena == segment->arena &&
	               there->lead == segment->lead;
	int result = 0;

	if (similar && !there->states && !segment->states && there->state == segment->state)
		return 0;
	for (uint32_t i = 0; result == 0 && i < segment->count; i++) {
		/* A word has the states of 32 chunks. */
		if (similar && there->states && segment->states && i % 32 == 0 &&
		    there->states[i / 32] == segment->states[i / 32]) {
			i += 31;
			continue;
		}
		result = test_chunk(search, segment->start + i * segment->step);
	}
	return result;
}

int pm_heap_turnover(const struct pm_heap_index *index, const struct pm_heap_index *other,
                     pm_turnover_visitor *visit, void *context)
{
	struct search search = {
		.index = index, .other = other, .visit = visit, .context = context
	};
	int result = 0;

	for (size_t i = 0; result == 0 && i < index->count; i++) {
		const struct pm_heap_segment *segment = &index->segments[i];

		result = segment->step > 0 ? test_uniform(&search, segment)
		                           : test_bitmap(&search, segment);
	}
	return result;
}
