/* SPDX-License-Identifier: MIT */
/*
 * Heaps of glibc's malloc: a heap with any changes must be read in finite time, and the result must
 * be consistent. The first byte of the input selects the version and whether the target is stopped.
 * Each of the following groups of 12 bytes changes a word: part (1), how (1), offset (2), value
 * (8).
 */
#include "input.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/chunk_parts.h>

#include "support/fake_heap.h"

enum { GROUP = 12 };

/** How a word is changed. */
enum change { SET, ADD, XOR, SET_ADDRESS, CHANGES };

/** Applies one change to the memory. */
static void change(struct fake_heap *fake, const uint8_t *group)
{
	uint16_t offset;
	uint64_t value, word;

	memcpy(&offset, group + 2, sizeof offset);
	memcpy(&value, group + 4, sizeof value);
	unsigned char *at = fake->bytes[group[0] % FAKE_PARTS] +
	                    offset % (FAKE_PART_SIZE - sizeof word);

	memcpy(&word, at, sizeof word);
	switch (group[1] % CHANGES) {
	case SET:
		word = value;
		break;
	case ADD:
		word += value;
		break;
	case XOR:
		word ^= value;
		break;
	default: /* an address in one of the parts */
		word = fake_heap_address((enum fake_part)(value % FAKE_PARTS)) +
		       (value >> 8) % FAKE_PART_SIZE;
		break;
	}
	memcpy(at, &word, sizeof word);
}

/** The content of a chunk must not be taken for something else. */
static void check_parts(const struct pm_heap *heap, const struct pm_chunk *chunk)
{
	const unsigned content = 1U << chunk->state, links = PM_CHUNK_PART_LINKS;
	const struct pm_range range = { chunk->start, chunk->address + chunk->size };
	struct pm_chunk_parts parts;
	if (range.start >= range.end)
		return;

	pm_chunk_parts_find(heap, range, &parts);
	fuzz_check(parts.found && parts.chunk.number == chunk->number && parts.outside == 0);
	fuzz_check((parts.inside & ~(content | links)) == 0 && parts.inside != 0);
	if (chunk->state == PM_CHUNK_IN_USE)
		fuzz_check(parts.inside == content);
}

/** All chunks must be in order, without overlaps, and must be found by their addresses. */
static void check_chunks(const struct pm_heap *heap)
{
	uint64_t end = 0, in_use = 0, mapped = 0;

	for (uint32_t i = 0; i < heap->chunk_count; i++) {
		struct pm_chunk chunk, found;
		pm_heap_chunk(heap, i, &chunk);
		fuzz_check(chunk.number == i && chunk.address >= end && chunk.size > 0);
		fuzz_check(chunk.start >= chunk.address && chunk.end >= chunk.start);
		fuzz_check(pm_heap_find(heap, chunk.address + 8, &found) && found.number == i);
		end = chunk.address + chunk.size;
		check_parts(heap, &chunk);

		fuzz_check(chunk.arena < heap->arena_count || chunk.arena == PM_CHUNK_MAPPED);
		if (chunk.arena == PM_CHUNK_MAPPED)
			mapped++;
		else if (chunk.state == PM_CHUNK_IN_USE)
			in_use += chunk.size;
	}

	/* Segments that overlap are removed from the index. */
	fuzz_check(in_use <= heap->total.in_use && mapped <= heap->mapped_count);
	if (heap->complete)
		fuzz_check(in_use == heap->total.in_use && mapped == heap->mapped_count);
}

static void check_heap(const struct pm_heap *heap)
{
	const struct pm_heap_arena *total = &heap->total;

	fuzz_check(heap->break_count <= PM_HEAP_BREAKS_MAX &&
	           heap->break_count <= heap->breaks_total);
	for (size_t i = 0; i < heap->break_count; i++)
		fuzz_check(heap->breaks[i].why && heap->breaks[i].arena < heap->arena_count);

	if (heap->allocator == PM_HEAP_ALLOCATOR_UNKNOWN)
		fuzz_check(heap->arena_count == 0 && heap->chunk_count == 0);
	if (heap->complete && heap->arena_count > 0)
		fuzz_check(total->in_use + total->cached + total->free + total->top +
		                   total->overhead ==
		           total->system);
	fuzz_check(total->fast <= total->cached && total->fast_count <= total->cached_count);
	check_chunks(heap);

	struct pm_chunk_parts parts;
	pm_chunk_parts_find(heap, (struct pm_range){ 0, UINT64_MAX }, &parts);
	fuzz_check(parts.found == (heap->chunk_count > 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fake_heap fake;
	struct pm_error error = { 0 };
	struct pm_heap *heap;

	if (size == 0)
		return 0;

	fake_heap_init(&fake, (enum fake_glibc)(data[0] % FAKE_GLIBC_COUNT));
	for (size_t at = 1; size - at >= GROUP; at += GROUP)
		change(&fake, data + at);

	const struct pm_heap_source source = { .regions = &fake.regions,
		                               .reader = &fake.reader,
		                               .stopped = data[0] >= 128 };
	fuzz_check(pm_heap_open(&source, &heap, &error) == 0);
	check_heap(heap);
	pm_heap_close(heap);
	fake_heap_deinit(&fake);

	return 0;
}
