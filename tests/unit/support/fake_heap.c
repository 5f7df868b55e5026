/* SPDX-License-Identifier: MIT */
#include "support/fake_heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum {
	PREV_INUSE = 1,
	MAPPED = 2,
	NON_MAIN = 4,
	PAGE = 4096,
	BINS = 254,
	PARAMETERS_WORDS = 17,
};

/** malloc_state of 2.26. */
struct state_226 {
	uint32_t mutex, flags;
	uint64_t fastbins[10], top, last_remainder, bins[BINS];
	uint32_t binmap[4];
	uint64_t next, next_free, attached, system, max;
};

/** malloc_state of 2.27 to 2.42. */
struct state_227 {
	uint32_t mutex, flags, have_fastchunks, padding;
	uint64_t fastbins[10], top, last_remainder, bins[BINS];
	uint32_t binmap[4];
	uint64_t next, next_free, attached, system, max;
};

/** malloc_state of 2.43. */
struct state_243 {
	uint32_t mutex, flags;
	uint64_t top, last_remainder, bins[BINS];
	uint32_t binmap[4];
	uint64_t next, next_free, attached, system, max;
};

/** What is written to a malloc_state, whatever its layout. */
struct state {
	uint64_t address, next, system, top, free, fast;
};

uint64_t fake_heap_address(enum fake_part part)
{
	static const uint64_t addresses[] = {
		[FAKE_DATA] = 0x7f0000100000,  [FAKE_BRK] = 0x555555000000,
		[FAKE_ARENA] = 0x7e0000000000, [FAKE_MAPPED] = 0x7f0000000000,
		[FAKE_NEWER] = 0x7e0004000000, /* FAKE_ARENA + 64 MiB */
	};
	return addresses[part];
}

unsigned char *fake_heap_bytes(struct fake_heap *heap, uint64_t address)
{
	for (enum fake_part part = 0; part < FAKE_PARTS_MAX; part++) {
		uint64_t offset = address - fake_heap_address(part);
		if (offset < FAKE_PART_SIZE)
			return heap->bytes[part] + offset;
	}
	fail_msg("no fake memory at %llx", (unsigned long long)address);
	return NULL;
}

void fake_heap_put(struct fake_heap *heap, uint64_t address, uint64_t word)
{
	memcpy(fake_heap_bytes(heap, address), &word, sizeof word);
}

/** Sets the bins: the first one contains the free chunk, the others are empty. */
static void set_bins(struct fake_heap *heap, uint64_t *bins, uint64_t address, uint64_t free)
{
	for (size_t i = 0; i < BINS; i += 2) {
		uint64_t bin = address + 8 * i - 16;
		bins[i] = bins[i + 1] = bin;
		if (i == 0 && free != 0) {
			bins[0] = bins[1] = free;
			fake_heap_put(heap, free + 16, bin);
			fake_heap_put(heap, free + 24, bin);
		}
	}
}

#define SET_STATE(TYPE)                                                                 \
	do {                                                                            \
		struct TYPE made = { 0 };                                               \
		made.top = state->top;                                                  \
		made.next = state->next;                                                \
		made.attached = 1;                                                      \
		made.system = made.max = state->system;                                 \
		set_bins(heap, made.bins, state->address + offsetof(struct TYPE, bins), \
		         state->free);                                                  \
		memcpy(fake_heap_bytes(heap, state->address), &made, sizeof made);      \
	} while (0)

/** Writes a malloc_state. */
static void put_state(struct fake_heap *heap, const struct state *state)
{
	const unsigned bin = (FAKE_FAST_SIZE - 32) / 16;
	size_t fastbins = offsetof(struct state_227, fastbins);

	if (heap->version == FAKE_GLIBC_243) {
		SET_STATE(state_243);
		return;
	}
	if (heap->version == FAKE_GLIBC_226) {
		SET_STATE(state_226);
		fastbins = offsetof(struct state_226, fastbins);
	} else {
		SET_STATE(state_227);
	}
	fake_heap_put(heap, state->address + fastbins + 8 * bin, state->fast);
}

static size_t state_size(const struct fake_heap *heap)
{
	if (heap->version == FAKE_GLIBC_226)
		return sizeof(struct state_226);
	if (heap->version == FAKE_GLIBC_243)
		return sizeof(struct state_243);
	return sizeof(struct state_227);
}

/** Sets a pointer of a singly linked list: protected since 2.32. */
static void put_link(struct fake_heap *heap, uint64_t address, uint64_t pointer)
{
	uint64_t key = heap->version >= FAKE_GLIBC_233 ? address >> 12 : 0;
	fake_heap_put(heap, address, pointer ^ key);
}

/** Sets mp_, with a mapped chunk. */
static void put_parameters(struct fake_heap *heap)
{
	const bool is_new = heap->version >= FAKE_GLIBC_236;
	const bool is_last = heap->version == FAKE_GLIBC_243;
	uint64_t at = fake_heap_address(FAKE_DATA) + FAKE_PARAMETERS;
	uint32_t counters[] = { 0, 1, 65536, 1, 0, 0 };
	uint64_t words[] = { FAKE_PART_SIZE,
		             FAKE_PART_SIZE,
		             fake_heap_address(FAKE_BRK),
		             64,
		             is_last ? 0x411 : 0x408,
		             is_last ? 16 : 7,
		             0 };

	for (int i = 0; i < 3; i++)
		fake_heap_put(heap, at + 8 * (unsigned)i, 128 * 1024);
	fake_heap_put(heap, at + 24, 8);

	/* trim_threshold, top_pad, mmap_threshold, arena_test, arena_max; since 2.35 also
	 * thp_pagesize, hp_pagesize and the integer hp_flags; in 2.43 also thp_mode. */
	at += is_last ? 64 : is_new ? 56 : 40;
	memcpy(fake_heap_bytes(heap, at), is_new ? counters : counters + 1,
	       is_new ? sizeof counters : 16);
	at += is_new ? sizeof counters : 16;
	memcpy(fake_heap_bytes(heap, at), words, sizeof words);
}

/** Chunks that are written one after another. */
struct writer {
	struct fake_heap *heap;
	int arena;
	uint64_t at;
	bool previous_free;
	uint64_t previous_size;
};

/** Writes a chunk and returns its address. */
static uint64_t put_chunk(struct writer *writer, uint64_t size, bool free)
{
	uint64_t flags = writer->previous_free ? 0 : PREV_INUSE, address = writer->at;

	if (writer->previous_free)
		fake_heap_put(writer->heap, address, writer->previous_size);
	if (writer->arena > 0 && !free)
		flags |= NON_MAIN;
	fake_heap_put(writer->heap, address + 8, size | flags);

	writer->previous_free = free;
	writer->previous_size = size;
	writer->at += size;
	return address;
}

/** Writes a chunk in use, and counts it. */
static uint64_t put_used(struct writer *writer, uint64_t size)
{
	writer->heap->in_use[writer->arena] += size;
	writer->heap->chunks[writer->arena]++;
	return put_chunk(writer, size, false);
}

/** Writes the tcache at a chunk: `count` chunks of a size, and a large one if there is one. */
static void put_tcache(struct fake_heap *heap, uint64_t chunk, const uint64_t *cached,
                       unsigned count, uint64_t large)
{
	const unsigned bin = (FAKE_CACHED_SIZE - 32) / 16;
	uint64_t user = chunk + 16, heads = user + 128;
	unsigned char *counters = fake_heap_bytes(heap, user);

	if (heap->version <= FAKE_GLIBC_229) {
		counters[bin] = (unsigned char)count;
		heads = user + 64;
	} else if (heap->version <= FAKE_GLIBC_236) {
		((uint16_t *)(void *)counters)[bin] = (uint16_t)count;
	} else {
		uint16_t slots = heap->version == FAKE_GLIBC_243 ? 16 : 7;
		for (int i = 0; i < 76; i++)
			((uint16_t *)(void *)counters)[i] = slots;
		((uint16_t *)(void *)counters)[bin] = (uint16_t)(slots - count);
		heads = user + 152;
		if (large != 0) {
			((uint16_t *)(void *)counters)[64] = (uint16_t)(slots - 1);
			fake_heap_put(heap, heads + UINT64_C(8) * 64, large + 16);
			put_link(heap, large + 16, 0);
		}
	}

	fake_heap_put(heap, heads + 8 * bin, cached[0] + 16);
	for (unsigned i = 0; i < count; i++)
		put_link(heap, cached[i] + 16, i + 1 < count ? cached[i + 1] + 16 : 0);
}

/** Writes the chunks of an arena, up to the end of its part. */
static void put_chunks(struct fake_heap *heap, int arena, uint64_t start, struct state *state)
{
	static const uint64_t tcache_sizes[] = { 0x250, 0x250, 0x290, 0x290, 0x290, 0x300, 0x300 };
	struct writer writer = { .heap = heap, .arena = arena, .at = start };
	uint64_t cached[3], fast[2], large = 0;

	uint64_t tcache = put_used(&writer, tcache_sizes[heap->version]);
	for (int i = 0; i < 3; i++) {
		put_used(&writer, 0x40);
		cached[i] = put_chunk(&writer, FAKE_CACHED_SIZE, false);
		heap->cached[arena] += FAKE_CACHED_SIZE;
		heap->cached_count[arena]++;
	}
	for (int i = 0; i < 2; i++)
		fast[i] = heap->version == FAKE_GLIBC_243
		                  ? put_used(&writer, FAKE_FAST_SIZE)
		                  : put_chunk(&writer, FAKE_FAST_SIZE, false);
	if (heap->version >= FAKE_GLIBC_242) {
		large = put_chunk(&writer, 0x500, false);
		heap->cached[arena] += 0x500;
		heap->cached_count[arena]++;
	}

	heap->free_chunk[arena] = put_chunk(&writer, FAKE_FREE_SIZE, true);
	heap->user_chunk[arena] = put_used(&writer, 0x90);
	for (int i = 0; i < 20; i++)
		put_used(&writer, 0x60);

	if (heap->version != FAKE_GLIBC_243) {
		put_link(heap, fast[0] + 16, fast[1]);
		put_link(heap, fast[1] + 16, 0);
		heap->fast[arena] = UINT64_C(2) * FAKE_FAST_SIZE;
		state->fast = fast[0];
	}
	put_tcache(heap, tcache, cached, 3, large);

	uint64_t end = (start & ~(uint64_t)(FAKE_PART_SIZE - 1)) + FAKE_PART_SIZE;
	heap->fast_chunk[arena] = fast[0];
	heap->top[arena] = end - writer.at;
	state->top = put_chunk(&writer, heap->top[arena], true);
	state->free = heap->free_chunk[arena];
}

static uint64_t info_size_of(const struct fake_heap *heap)
{
	return heap->version >= FAKE_GLIBC_236 ? 0x30 : 0x20;
}

static void put_arenas(struct fake_heap *heap)
{
	const uint64_t info_size = info_size_of(heap);
	uint64_t start = fake_heap_address(FAKE_ARENA);
	struct state main = { .address = fake_heap_address(FAKE_DATA) + FAKE_MAIN };
	struct state other = { .address = start + info_size };

	main.next = other.address;
	other.next = main.address;
	main.system = other.system = FAKE_PART_SIZE;
	heap->system[0] = heap->system[1] = FAKE_PART_SIZE;

	fake_heap_put(heap, start, other.address);
	fake_heap_put(heap, start + 16, FAKE_PART_SIZE);
	fake_heap_put(heap, start + 24, FAKE_PART_SIZE);
	if (info_size == 0x30)
		fake_heap_put(heap, start + 32, PAGE);

	put_chunks(heap, 0, fake_heap_address(FAKE_BRK), &main);
	put_chunks(heap, 1, (other.address + state_size(heap) + 15) & ~UINT64_C(15), &other);
	put_state(heap, &main);
	put_state(heap, &other);
}

static void add_region(struct fake_heap *heap, enum fake_part part, unsigned perms,
                       const char *mapping)
{
	const struct pm_region region = {
		.start = fake_heap_address(part),
		.end = fake_heap_address(part) + FAKE_PART_SIZE,
		.perms = (uint8_t)perms,
		.mapping = mapping,
	};
	assert_int_equal(pm_regions_append(&heap->regions, &region, NULL), 0);
}

/** Adds the regions in ascending order. */
static void add_regions(struct fake_heap *heap, bool newer)
{
	const unsigned rw = PM_PERM_READ | PM_PERM_WRITE;

	pm_regions_deinit(&heap->regions);
	pm_regions_init(&heap->regions);
	add_region(heap, FAKE_BRK, rw, "[heap]");
	add_region(heap, FAKE_ARENA, rw, "");
	if (newer)
		add_region(heap, FAKE_NEWER, rw, "");
	add_region(heap, FAKE_MAPPED, rw, "");
	add_region(heap, FAKE_DATA, rw, "/usr/lib/libc.so.6");
}

void fake_heap_init(struct fake_heap *heap, enum fake_glibc version)
{
	const uint64_t rest = version == FAKE_GLIBC_243 ? 16 : 0;

	*heap = (struct fake_heap){ .version = version };
	put_arenas(heap);
	put_parameters(heap);
	fake_heap_put(heap, fake_heap_address(FAKE_MAPPED) + 8, (FAKE_PART_SIZE - rest) | MAPPED);

	for (enum fake_part part = 0; part < FAKE_PARTS_MAX; part++)
		heap->ranges[part] = (struct pm_fake_range){ fake_heap_address(part),
			                                     heap->bytes[part], FAKE_PART_SIZE };
	heap->target = (struct pm_fake_target){ .ranges = heap->ranges, .count = FAKE_PARTS };
	heap->reader = pm_fake_reader(&heap->target);

	pm_regions_init(&heap->regions);
	add_regions(heap, false);
}

/** Sets the top chunk and the size of an arena. */
static void put_top(struct fake_heap *heap, uint64_t arena, uint64_t top, uint64_t system)
{
	size_t top_at = offsetof(struct state_227, top);
	size_t system_at = offsetof(struct state_227, system);

	if (heap->version == FAKE_GLIBC_226) {
		top_at = offsetof(struct state_226, top);
		system_at = offsetof(struct state_226, system);
	} else if (heap->version == FAKE_GLIBC_243) {
		top_at = offsetof(struct state_243, top);
		system_at = offsetof(struct state_243, system);
	}

	fake_heap_put(heap, arena + top_at, top);
	fake_heap_put(heap, arena + system_at, system);
	fake_heap_put(heap, arena + system_at + 8, system); /* max_system_mem */
}

void fake_heap_add(struct fake_heap *heap, uint64_t previous)
{
	const uint64_t older = fake_heap_address(FAKE_ARENA), end = older + FAKE_PART_SIZE;
	const uint64_t newer = fake_heap_address(FAKE_NEWER), old_top = end - heap->top[1];
	const uint64_t first = newer + info_size_of(heap), top = first + FAKE_NEWER_SIZE;
	const uint64_t arena = older + info_size_of(heap);

	fake_heap_put(heap, old_top + 8, (heap->top[1] - 0x20) | NON_MAIN | PREV_INUSE);
	fake_heap_put(heap, end - 0x18, 0x10 | PREV_INUSE);
	fake_heap_put(heap, end - 8, PREV_INUSE);

	fake_heap_put(heap, newer, arena);
	fake_heap_put(heap, newer + 8, previous);
	fake_heap_put(heap, newer + 16, FAKE_PART_SIZE);
	fake_heap_put(heap, newer + 24, FAKE_PART_SIZE);
	fake_heap_put(heap, first + 8, FAKE_NEWER_SIZE | NON_MAIN | PREV_INUSE);
	fake_heap_put(heap, top + 8, (newer + FAKE_PART_SIZE - top) | PREV_INUSE);
	put_top(heap, arena, top, UINT64_C(2) * FAKE_PART_SIZE);

	heap->target.count = FAKE_PARTS_MAX;
	add_regions(heap, true);
}

void fake_heap_deinit(struct fake_heap *heap)
{
	pm_regions_deinit(&heap->regions);
}

struct pm_heap *fake_heap_open(struct fake_heap *heap, bool stopped)
{
	const struct pm_heap_source source = { .regions = &heap->regions,
		                               .reader = &heap->reader,
		                               .stopped = stopped };
	struct pm_error error = { 0 };
	struct pm_heap *opened = NULL;

	if (pm_heap_open(&source, &opened, &error) < 0)
		fail_msg("%s", error.text);
	return opened;
}
