/* SPDX-License-Identifier: MIT */
/*
 * The heap of CPython: a heap with any changes must be read in finite time, and the result must be
 * consistent. The first byte of the input selects the version. Each of the following groups of 12
 * bytes changes a word: part (1), how (1), offset in words (2), value (8).
 */
#include "input.h"

#include <stdlib.h>
#include <string.h>

#include "support/fake_python.h"

enum { GROUP = 12, WORD = 8, CHANGES_MAX = 256, FIRST_MINOR = 8, VERSIONS = 7 };

/** What is changed. */
enum part { PART_DATA, PART_HEAP, PART_ARENA, PART_POOL, PARTS };

/** How a word is changed. */
enum change { SET, ADD, XOR, SET_ADDRESS, CHANGES };

/** A word before it was changed. */
struct saved {
	uint64_t address, word;
};

/** Returns a process for a first byte of the input. Creating one takes long, so they are kept. */
static struct fake_python *process_of(uint8_t first)
{
	static struct fake_python *processes[VERSIONS];
	unsigned index = first % VERSIONS;

	if (!processes[index]) {
		processes[index] = fake_python_create(FIRST_MINOR + index);
		fake_python_fill(processes[index]);
	}
	return processes[index];
}

/** Returns the address of a word, given the part and an offset in words. */
static uint64_t place_of(const struct fake_python *fake, uint8_t part, uint16_t offset)
{
	uint64_t bytes = (uint64_t)offset * WORD;

	switch (part % PARTS) {
	case PART_DATA:
		return fake_python_data + bytes % FAKE_PYTHON_DATA;
	case PART_HEAP:
		return fake_python_heap + bytes % FAKE_PYTHON_HEAP;
	case PART_ARENA:
		return fake_python_arena + bytes % fake->arena_size;
	default:
		/* The headers of the first pools */
		return fake->base + bytes / 64 % 6 * fake->pool_size + bytes % 64;
	}
}

/** Changes a word. */
static struct saved change(struct fake_python *fake, const uint8_t *group)
{
	struct saved saved;
	uint16_t offset, target;
	uint64_t value;

	memcpy(&offset, group + 2, sizeof offset);
	memcpy(&value, group + 4, sizeof value);
	memcpy(&target, group + 4, sizeof target);
	saved.address = place_of(fake, group[0], offset);
	memcpy(&saved.word, fake_python_at(fake, saved.address), sizeof saved.word);

	if (group[1] % CHANGES == ADD)
		value += saved.word;
	else if (group[1] % CHANGES == XOR)
		value ^= saved.word;
	else if (group[1] % CHANGES == SET_ADDRESS)
		value = place_of(fake, group[6], target);
	fake_python_put(fake, saved.address, value);
	return saved;
}

/** Checks that the numbers of a heap agree with each other. */
static void check_heap(const struct pm_python_heap *heap)
{
	uint64_t pools = 0, blocks = 0, bytes = 0, objects = heap->other;
	uint64_t typed = heap->other_bytes;

	for (size_t i = 0; i < PM_PYTHON_CLASSES; i++) {
		pools += heap->classes[i].pools;
		blocks += heap->classes[i].count;
		bytes += heap->classes[i].count * heap->classes[i].size;
	}
	fuzz_check(pools == heap->pools && blocks == heap->blocks && bytes == heap->in_use);
	fuzz_check(heap->arenas <= FAKE_PYTHON_ENTRIES);
	fuzz_check(heap->in_use + heap->free <= heap->arenas * heap->arena_size);

	for (size_t i = 0; i < heap->type_count; i++) {
		fuzz_check(heap->types[i].name[0] != '\0' && heap->types[i].count > 0);
		fuzz_check(i == 0 || heap->types[i - 1].bytes >= heap->types[i].bytes);
		objects += heap->types[i].count;
		typed += heap->types[i].bytes;
	}
	/* A block that is not in the list of free blocks counts as in use. */
	if (heap->complete && heap->types_known && heap->arenas > 0)
		fuzz_check(objects == heap->blocks && typed == heap->in_use);
}

static void check_ranges(const struct fake_python *fake, const struct pm_runtimes *runtimes)
{
	for (size_t i = 0; i < runtimes->range_count; i++) {
		const struct pm_range *range = &runtimes->ranges[i].range;

		fuzz_check(range->start < range->end);
		fuzz_check(pm_regions_find(&fake->regions, range->start) ==
		           pm_regions_find(&fake->regions, range->end - 1));
		fuzz_check(i == 0 || runtimes->ranges[i - 1].range.end <= range->start);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct saved saved[CHANGES_MAX];
	struct pm_python_heap *heap = NULL;
	struct pm_runtimes *runtimes = NULL;
	struct pm_error error;
	size_t count = 0;

	if (size < 1)
		return 0;

	struct fake_python *fake = process_of(data[0]);
	for (size_t at = 1; at + GROUP <= size && count < CHANGES_MAX; at += GROUP)
		saved[count++] = change(fake, data + at);

	struct pm_runtimes_source source = fake_python_source(fake);
	if (pm_python_heap_open(&source, &heap, &error) < 0)
		fuzz_check_error(&error);
	else if (heap)
		check_heap(heap);
	if (pm_runtimes_open(&source, &runtimes, &error) < 0)
		fuzz_check_error(&error);
	else
		check_ranges(fake, runtimes);

	pm_python_heap_close(heap);
	pm_runtimes_close(runtimes);
	while (count-- > 0)
		fake_python_put(fake, saved[count].address, saved[count].word);
	return 0;
}
