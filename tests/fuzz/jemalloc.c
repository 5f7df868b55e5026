/* SPDX-License-Identifier: MIT */
/*
 * Heaps of jemalloc: a heap with any changes must be read in finite time, and the result must be
 * consistent. The first byte of the input selects the version, the number of levels of the tree,
 * and whether the target is stopped. Each of the following groups of 12 bytes changes a word: part
 * (1), how (1), offset (2), value (8).
 */
#include "input.h"

#include <stdlib.h>
#include <string.h>

#include "support/fake_jemalloc.h"

enum { GROUP = 12, GROUPS_MAX = 1000, WORD = 8, ROOT_AROUND = 1024 };

/** What is changed. */
enum part { PART_ROOT, PART_NODE, PART_LEAF, PART_EXTENTS, PART_BINS, PART_STACKS, PARTS };

/** How a word is changed. */
enum change { SET, ADD, XOR, SET_ADDRESS, CHANGES };

/** A word before it was changed. */
struct saved {
	unsigned char *at;
	uint64_t word;
};

/** Adds the cache of a thread. Only some of the addresses in it are those of regions. */
static void add_cache(struct fake_jemalloc *fake)
{
	for (unsigned bin = 0; bin < FAKE_BINS; bin++) {
		uint64_t pointers[FAKE_SLOTS];

		for (unsigned i = 0; i < FAKE_SLOTS; i++)
			pointers[i] = fake_jemalloc_first +
			              fake_jemalloc_roll(fake, fake->next_page * FAKE_PAGE) / 48 *
			                      48;
		fake_jemalloc_put_bin(fake, bin, pointers, bin % FAKE_SLOTS);
	}
}

/** Returns a process for a first byte of the input. Creating one takes long, so they are kept. */
static struct fake_jemalloc *process_of(uint8_t first)
{
	static struct fake_jemalloc *processes[2 * FAKE_JEMALLOC_VERSIONS];
	size_t index = first % (2 * FAKE_JEMALLOC_VERSIONS);

	if (!processes[index]) {
		struct fake_jemalloc *made = fake_jemalloc_create(
			&fake_jemalloc_versions[index / 2]);
		made->three_levels = index % 2;
		fake_jemalloc_link(made);
		fake_jemalloc_fill(made);
		add_cache(made);
		processes[index] = made;
	}

	return processes[index];
}

/** Returns the address of a word, given the part and an offset in words. */
static unsigned char *place_of(struct fake_jemalloc *fake, uint8_t part, uint16_t offset)
{
	size_t leaf = fake->next_page * (fake->three_levels ? 16 : 8);
	size_t entry = fake_jemalloc_first >> (fake->three_levels ? 42 : 30);

	switch (part % PARTS) {
	case PART_ROOT:
		/* The entries before and after the one that is used */
		entry += (size_t)(FAKE_ROOT / WORD + offset % ROOT_AROUND - ROOT_AROUND / 2);
		return fake->bss + entry * WORD;
	case PART_NODE:
		return fake->base + FAKE_NODE + (size_t)offset * WORD % (256 << 10);
	case PART_BINS:
		return fake->bss + FAKE_BINS_AT +
		       (size_t)offset * WORD % (FAKE_BINS * FAKE_BIN_SIZE);
	case PART_STACKS:
		return fake->base + FAKE_STACKS_AT + (size_t)offset * WORD % (3 * FAKE_PAGE);
	case PART_LEAF:
		return fake->base + FAKE_LEAF + (size_t)offset * WORD % leaf;
	default:
		return fake->base + FAKE_EXTENTS + (size_t)offset * WORD % (fake->extents * 128);
	}
}

/** Applies one change to the memory, and saves the word. */
static void change(struct fake_jemalloc *fake, const uint8_t *group, struct saved *saved)
{
	uint16_t offset;
	uint64_t value, word;

	memcpy(&offset, group + 2, sizeof offset);
	memcpy(&value, group + 4, sizeof value);
	saved->at = place_of(fake, group[0], offset);
	memcpy(&saved->word, saved->at, sizeof saved->word);
	word = saved->word;

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
	default: /* an address in the memory of jemalloc, or in one of its extents */
		word = fake_jemalloc_base + value % FAKE_BASE_BYTES;
		if (value >> 63)
			word = fake_jemalloc_first + value % (1 << 30);
		break;
	}
	memcpy(saved->at, &word, sizeof word);
}

/** All chunks must be in order, without overlaps, and must be found by their addresses. */
static void check_chunks(const struct pm_heap *heap)
{
	uint64_t end = 0, in_use = 0;

	for (uint32_t i = 0; i < heap->chunk_count; i++) {
		struct pm_chunk chunk, found;
		pm_heap_chunk(heap, i, &chunk);
		fuzz_check(chunk.number == i && chunk.start >= end && chunk.end > chunk.start);
		fuzz_check(pm_heap_find(heap, chunk.end - 1, &found) && found.number == i);
		fuzz_check(chunk.arena < heap->arena_count);
		end = chunk.end;
		if (chunk.state != PM_CHUNK_FREE)
			in_use += chunk.size;
	}

	const struct pm_heap_arena *total = &heap->total;
	fuzz_check(in_use <= total->in_use + total->cached);
	if (heap->complete)
		fuzz_check(in_use == total->in_use + total->cached);
}

static void check_heap(const struct pm_heap *heap)
{
	const struct pm_heap_arena *total = &heap->total;

	fuzz_check(heap->break_count <= PM_HEAP_BREAKS_MAX &&
	           heap->break_count <= heap->breaks_total);
	for (size_t i = 0; i < heap->break_count; i++)
		fuzz_check(heap->breaks[i].why != NULL);
	if (heap->allocator == PM_HEAP_ALLOCATOR_UNKNOWN)
		fuzz_check(heap->arena_count == 0 && heap->chunk_count == 0);
	if (heap->complete && heap->arena_count > 0)
		fuzz_check(total->in_use + total->cached + total->free + total->overhead ==
		           total->system);
	check_chunks(heap);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct saved saved[GROUPS_MAX];
	struct pm_error error = { 0 };
	struct pm_heap *heap;
	size_t count = 0;

	if (size == 0)
		return 0;

	struct fake_jemalloc *fake = process_of(data[0]);
	for (size_t at = 1; size - at >= GROUP && count < GROUPS_MAX; at += GROUP)
		change(fake, data + at, &saved[count++]);

	fake->source.stopped = data[0] >= 128;
	fuzz_check(pm_heap_open(&fake->source, &heap, &error) == 0);
	check_heap(heap);
	pm_heap_close(heap);

	while (count-- > 0)
		memcpy(saved[count].at, &saved[count].word, sizeof saved[count].word);
	return 0;
}
