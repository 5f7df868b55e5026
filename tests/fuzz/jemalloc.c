/* SPDX-License-Identifier: MIT */
/*
 * Heaps of jemalloc: a heap with any changes must be read in finite time, and the result must be
 * consistent. The first byte of the input selects the version, the number of levels of the tree,
 * what is known about pages, and whether the target is stopped. Each of the following groups of
 * 12 bytes changes a word: part (1), how (1), offset (2), value (8).
 *
 * The memory of the process has 6 MiB, of which most words are always 0. Only the pages exist that
 * contain something else, or that a change can reach. The others are gaps or untouched pages.
 */
#include "input.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/runtimes.h>

#include "base/minmax.h"
#include "support/fake_jemalloc.h"

enum { GROUP = 12, SAVED_MAX = 4096, WORD = 8, RANGES_MAX = 8 };

/* Number of entries of a node that are changed: some before the entry that is used, and some after
 * it. If all of the latter lead to the same leaf, a walk exceeds its limit. */
enum { BEFORE = 512, AROUND = 2048 };

/* Number of words that REPEAT sets. With more words, too many inputs would exceed the limit of a
 * walk, and take 50 times as long as others. */
enum { REPEATED = 64 };

/** What is changed. */
enum part { PART_ROOT, PART_NODE, PART_LEAF, PART_EXTENTS, PART_BINS, PART_STACKS, PARTS };

/** How a word is changed. REPEAT copies the word to the words that follow. */
enum change { SET, ADD, XOR, SET_ADDRESS, REPEAT, CHANGES };

/** What is known about the pages that do not exist. With other values, they were never touched. */
enum states { STATES_MISSING = 1, STATES_UNKNOWN, STATES = 8 };

/** A word before it was changed. */
struct saved {
	unsigned char *at;
	uint64_t word;
};

/** A process, and the pages of it that exist. */
struct process {
	struct fake_jemalloc *fake;
	struct pm_fake_range ranges[RANGES_MAX]; /* by ascending address */
};

/**
 * Adds a slab of each class, and extents of all other sorts.
 * @param slabs  receives the addresses of the slabs
 */
static void add_extents(struct fake_jemalloc *fake, uint64_t slabs[FAKE_CLASSES])
{
	for (unsigned i = 0; i < FAKE_CLASSES; i++) {
		slabs[i] = fake_jemalloc_first + fake->next_page * FAKE_PAGE;
		fake_jemalloc_add_slab(fake, i, i % 2 * 3);
		if (i % 4 == 0)
			fake_jemalloc_add_large(fake, i * 64);
		if (i % 4 == 1)
			fake_jemalloc_add_unused(fake, i, 1 + i / 4 % 3);
		/* The entry of an extent that was removed */
		if (i % 4 == 2)
			fake_jemalloc_put_entry(fake, fake->next_page++, 0, 232, false);
	}
}

/** Adds the cache of a thread. Only some of the addresses in it are those of regions. */
static void add_cache(struct fake_jemalloc *fake, const uint64_t slabs[FAKE_CLASSES])
{
	for (unsigned bin = 0; bin < FAKE_BINS; bin++) {
		uint64_t pointers[FAKE_SLOTS];

		for (unsigned i = 0; i < FAKE_SLOTS; i++)
			pointers[i] = fake_jemalloc_first +
			              fake_jemalloc_roll(fake, fake->next_page * FAKE_PAGE) / 48 *
			                      48;
		for (unsigned i = 0; bin < FAKE_CLASSES && i < FAKE_SLOTS; i += 2)
			pointers[i] = slabs[bin] + i * fake->version->classes[bin];
		fake_jemalloc_put_bin(fake, bin, pointers, bin % FAKE_SLOTS);
	}
}

/** Returns the offset in `bss` of the entry of the root that is used. */
static size_t root_entry(const struct fake_jemalloc *fake)
{
	return FAKE_ROOT + (fake_jemalloc_first >> (fake->three_levels ? 42 : 30)) * WORD;
}

/** Returns the offset in `base` of the entry of the node that is used. */
static size_t node_entry(void)
{
	return FAKE_NODE + (fake_jemalloc_first >> 27 & 0x7fff) * WORD;
}

/** Returns the number of bytes of the leaf up to the last entry that is used. */
static size_t leaf_bytes(const struct fake_jemalloc *fake)
{
	return fake->next_page * (fake->three_levels ? 2 * WORD : WORD);
}

/** Returns the number of bytes in which extents are changed. Some versions use more. */
static size_t extent_bytes(const struct fake_jemalloc *fake)
{
	return (size_t)fake->extents * 128;
}

/** Makes the pages readable that contain a part of a range; the range is above the last one. */
static void add_range(struct process *process, uint64_t start, const unsigned char *bytes,
                      size_t from, size_t to)
{
	struct pm_fake_target *target = &process->fake->target;
	size_t first = from / FAKE_PAGE * FAKE_PAGE;
	size_t end = (to + FAKE_PAGE - 1) / FAKE_PAGE * FAKE_PAGE;

	fuzz_check(target->count < RANGES_MAX);
	process->ranges[target->count++] = (struct pm_fake_range){ start + first, bytes + first,
		                                                   end - first };
}

/** Makes only those pages readable that contain something, or that change. */
static void set_ranges(struct process *process)
{
	struct fake_jemalloc *fake = process->fake;
	const size_t root = root_entry(fake) - BEFORE * WORD;
	const size_t node = node_entry() - BEFORE * WORD, around = AROUND * WORD;
	const struct pm_fake_range data = fake->ranges[1];
	const uint64_t base = fake_jemalloc_base, bss = fake_jemalloc_bss;

	fake->target.ranges = process->ranges;
	fake->target.count = 0;
	add_range(process, base, fake->base, 0, FAKE_LEAF + leaf_bytes(fake));
	add_range(process, base, fake->base, node, node + around);
	/* An extent has up to 192 bytes. */
	add_range(process, base, fake->base, FAKE_EXTENTS,
	          FAKE_EXTENTS + (size_t)fake->extents * 192);
	add_range(process, base, fake->base, FAKE_STACKS_AT, FAKE_BASE_BYTES);
	add_range(process, data.address, data.bytes, 0, data.size);
	add_range(process, bss, fake->bss, root, root + around);
	add_range(process, bss, fake->bss, FAKE_BINS_AT, FAKE_BSS_BYTES);
}

/** Returns a process for a first byte of the input. Creating one takes long, so they are kept. */
static struct process *process_of(uint8_t first)
{
	static struct process processes[2 * FAKE_JEMALLOC_VERSIONS];
	size_t index = first % (2 * FAKE_JEMALLOC_VERSIONS);
	struct process *process = &processes[index];

	if (!process->fake) {
		struct fake_jemalloc *made = fake_jemalloc_create(
			&fake_jemalloc_versions[index / 2]);
		uint64_t slabs[FAKE_CLASSES];

		made->three_levels = index % 2;
		fake_jemalloc_link(made);
		add_extents(made, slabs);
		add_cache(made, slabs);
		process->fake = made;
		set_ranges(process);
	}

	return process;
}

/** Reports the pages that exist. */
static int walk_pages(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit,
                      void *visitor, struct pm_error *error)
{
	const struct process *process = context;
	(void)error;

	for (size_t i = 0; i < process->fake->target.count; i++) {
		const struct pm_fake_range *range = &process->ranges[i];
		const struct pm_page_run run = { pm_max(start, range->address),
			                         pm_min(end, range->address + range->size),
			                         PM_PAGE_PRESENT };
		int result = run.start < run.end ? visit(visitor, &run) : 0;
		if (result != 0)
			return result;
	}

	return 0;
}

/** Returns the address of a word, given the part and an offset in words. */
static unsigned char *place_of(struct fake_jemalloc *fake, uint8_t part, uint16_t offset)
{
	const size_t bytes = (size_t)offset * WORD;
	const size_t around = bytes % (AROUND * WORD);

	switch (part % PARTS) {
	case PART_ROOT:
		return fake->bss + root_entry(fake) - BEFORE * WORD + around;
	case PART_NODE:
		return fake->base + node_entry() - BEFORE * WORD + around;
	case PART_BINS:
		return fake->bss + FAKE_BINS_AT + bytes % (FAKE_BINS * FAKE_BIN_SIZE);
	case PART_STACKS:
		return fake->base + FAKE_STACKS_AT + bytes % (3 * FAKE_PAGE);
	case PART_LEAF:
		return fake->base + FAKE_LEAF + bytes % leaf_bytes(fake);
	default:
		return fake->base + FAKE_EXTENTS + bytes % extent_bytes(fake);
	}
}

/** Stores a word, and saves the word that was there. */
static void store(unsigned char *at, uint64_t word, struct saved *saved)
{
	saved->at = at;
	memcpy(&saved->word, at, sizeof saved->word);
	memcpy(at, &word, sizeof word);
}

/**
 * Applies one change to the memory, and saves the words.
 * @param saved  room for REPEATED elements
 * @return       the number of words
 */
static size_t change(struct fake_jemalloc *fake, const uint8_t *group, struct saved *saved)
{
	const unsigned part = group[0] % PARTS, how = group[1] % CHANGES;
	uint16_t offset;
	uint64_t value, word;
	size_t count = 1;

	memcpy(&offset, group + 2, sizeof offset);
	memcpy(&value, group + 4, sizeof value);
	unsigned char *at = place_of(fake, group[0], offset);
	memcpy(&word, at, sizeof word);

	switch (how) {
	case SET:
		word = value;
		break;
	case ADD:
		word += value;
		break;
	case XOR:
		word ^= value;
		break;
	case REPEAT:
		/* The bins are at the end of the memory. */
		count = part == PART_BINS ? 1 : REPEATED;
		break;
	default: /* an address in the memory of jemalloc, or in one of its extents */
		word = fake_jemalloc_base + value % FAKE_BASE_BYTES;
		if (value >> 63)
			word = fake_jemalloc_first + value % (1 << 30);
		break;
	}

	for (size_t i = 0; i < count; i++)
		store(at + i * WORD, word, &saved[i]);
	return count;
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

/** Reads the owners of the memory: all ranges must be valid. */
static void check_owners(struct fake_jemalloc *fake)
{
	const struct pm_runtimes_source source = { .regions = &fake->regions,
		                                   .reader = fake->source.reader,
		                                   .pages = fake->source.pages };
	struct pm_runtimes *runtimes;
	struct pm_region *library = fake->regions.items;
	uint64_t end = 0;

	/* jemalloc is only searched for if its library is mapped. */
	while (library->inode == 0)
		library++;
	const char *name = library->mapping;
	library->mapping = "/usr/lib/libjemalloc.so.2";
	fuzz_check(pm_runtimes_open(&source, &runtimes, NULL) == 0);
	library->mapping = name;

	fuzz_check(runtimes->count == 1);
	for (size_t i = 0; i < runtimes->range_count; i++) {
		const struct pm_owner_range *range = &runtimes->ranges[i];
		fuzz_check(range->range.start >= end && range->range.end > range->range.start);
		fuzz_check(range->owner == PM_OWNER_JEMALLOC);
		end = range->range.end;
	}
	pm_runtimes_close(runtimes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct saved saved[SAVED_MAX];
	struct pm_error error = { 0 };
	struct pm_heap *heap;
	size_t count = 0;

	if (size == 0)
		return 0;

	struct process *process = process_of(data[0]);
	struct fake_jemalloc *fake = process->fake;
	const unsigned states = data[0] / 16 % STATES;
	const struct pm_page_source pages = { walk_pages, process,
		                              states == STATES_MISSING ? PM_SEGMENT_MISSING
		                                                       : PM_SEGMENT_HOLE };
	for (size_t at = 1; size - at >= GROUP && count <= SAVED_MAX - REPEATED; at += GROUP)
		count += change(fake, data + at, &saved[count]);

	fake->source.stopped = data[0] >= 128;
	fake->source.pages = states == STATES_UNKNOWN ? NULL : &pages;
	fuzz_check(pm_heap_open(&fake->source, &heap, &error) == 0);
	check_heap(heap);
	pm_heap_close(heap);
	check_owners(fake);

	while (count-- > 0)
		memcpy(saved[count].at, &saved[count].word, sizeof saved[count].word);
	return 0;
}
