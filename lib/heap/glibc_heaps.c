/* SPDX-License-Identifier: MIT */
/*
 * The brk heap ends with the top chunk of the main arena. The heaps of another arena begin with a
 * heap_info { ar_ptr, prev, size, mprotect_size, ... }, at a multiple of their maximum size. The
 * newest heap contains the top chunk, and `prev` leads to the older ones. In the oldest
 * heap, malloc_state follows heap_info (malloc/arena.c of glibc).
 */
#include "heap/glibc_heaps.h"

#include <stdlib.h>

#include "base/array.h"
#include "heap/glibc_chain.h"
#include "heap/glibc_find.h"

enum {
	ALIGNMENT = 16,
	HEAPS_MAX = 1 << 20, /* heaps of an arena: 64 TiB of the default size */
	INFO_SIZE = 32,      /* bytes of heap_info that are read */
};

/* No process has memory of its own at higher addresses. */
#define ADDRESS_MAX (UINT64_MAX / 2)

/**
 * Maximum sizes of a heap: 64 MiB by default, else four times the size of a huge page (2.35-2.41,
 * with the tunable glibc.malloc.hugetlb). The default is first.
 */
static const uint64_t heap_sizes[] = {
	UINT64_C(64) << 20,  UINT64_C(8) << 20,  UINT64_C(4) << 30,  UINT64_C(2) << 30,
	UINT64_C(128) << 20, UINT64_C(32) << 20, UINT64_C(16) << 20, UINT64_C(1) << 20,
};

/** Distances from heap_info to malloc_state: until 2.34, since 2.35, and larger ones that other
 * versions may have. */
static const uint64_t info_sizes[] = { 0x20, 0x30, 0x40, 0x50 };

/** A heap_info. */
struct info {
	uint64_t arena;
	uint64_t previous;
	uint64_t size;
	uint64_t accessible; /* mprotect_size */
};

static int read_info(struct pm_glibc *glibc, uint64_t address, struct info *info,
                     struct pm_error *error)
{
	unsigned char bytes[INFO_SIZE];
	int got = pm_heap_window_peek(glibc->heap->window, address, bytes, sizeof bytes, error);

	if (got <= 0)
		return got;

	*info = (struct info){ pm_glibc_word(bytes), pm_glibc_word(bytes + 8),
		               pm_glibc_word(bytes + 16), pm_glibc_word(bytes + 24) };
	return 1;
}

/** Returns whether a heap_info belongs to an arena, and whether its sizes are possible. */
static bool info_is_sane(const struct pm_glibc *glibc, const struct info *info, uint64_t arena,
                         uint64_t max)
{
	return info->arena == arena && info->size != 0 && info->size % glibc->page == 0 &&
	       info->size <= info->accessible && info->accessible <= max;
}

static uint64_t align_up(uint64_t address)
{
	return (address + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
}

static int add(struct pm_glibc_heaps *heaps, struct pm_glibc_heap heap, struct pm_error *error)
{
	if (pm_array_reserve(&heaps->items, &heaps->capacity, heaps->count, 1, sizeof *heaps->items,
	                     error) < 0)
		return -1;
	heaps->items[heaps->count++] = heap;
	return 0;
}

/** Returns the size of a top chunk. The size is 0 if it cannot be read. */
static int read_top(struct pm_glibc *glibc, uint64_t top, uint64_t *size, struct pm_error *error)
{
	uint64_t head = 0;
	int got = pm_heap_window_word(glibc->heap->window, top + 8, &head, error);

	*size = head & ~UINT64_C(7);
	return got;
}

/** Returns the end of adjacent regions. The kernel splits the brk heap in forked processes. */
static uint64_t end_of_regions(const struct pm_regions *regions, uint64_t address)
{
	size_t i = pm_regions_index(regions, address);
	uint64_t end = address;

	for (; i < regions->count && regions->items[i].start <= end; i++)
		end = regions->items[i].end;
	return end;
}

/**
 * Sets the end of a contiguous brk heap according to malloc_state. This is one structure that is
 * read at once, while the top chunk can move before its size is read.
 *
 * @param end  receives the end, unless it is not known
 * @return     false if the end is not known
 */
static bool end_of_state(const struct pm_glibc *glibc, uint64_t *end)
{
	const struct pm_glibc_arena *main = &glibc->arenas[0];
	uint64_t base = glibc->parameters.sbrk_base, from_state = base + main->system;

	if (!main->contiguous || base == 0 || main->system > ADDRESS_MAX - base ||
	    main->top < base || main->top >= from_state ||
	    from_state - main->top < PM_GLIBC_CHUNK_MIN)
		return false;

	*end = from_state;
	return true;
}

/**
 * Reads an arena again.
 * @return 1 if it has changed, 0 if not or if it cannot be read, -1 on error
 */
static int read_again(struct pm_glibc *glibc, size_t arena, struct pm_error *error)
{
	const struct pm_glibc_arena before = glibc->arenas[arena];
	const struct pm_glibc_arena *now = &glibc->arenas[arena];

	pm_heap_window_forget_bytes(glibc->heap->window);
	int got = pm_glibc_find_again(glibc, arena, error);
	if (got <= 0)
		return got;
	return now->top != before.top || now->system != before.system;
}

/**
 * Finds the brk heap. If it is contiguous, system_mem is its size, including memory of other users
 * of sbrk(2) between its parts.
 */
static int find_main(struct pm_glibc *glibc, struct pm_glibc_heaps *heaps, struct pm_error *error)
{
	const struct pm_glibc_arena *main = &glibc->arenas[0];
	uint64_t base = glibc->parameters.sbrk_base, size;
	int got = read_top(glibc, main->top, &size, error);

	if (got < 0)
		return -1;
	if (main->system == 0) {
		heaps->complete = true;
		return 0;
	}

	bool fits = got > 0 && size <= main->system && size <= ADDRESS_MAX - main->top;
	uint64_t end = fits ? main->top + size : 0;
	if (fits && (base == 0 || (base > main->top && main->contiguous)))
		base = end - main->system;

	heaps->complete = fits && main->contiguous && end - main->system == base;
	/* In a running process, the size of the top chunk may be newer or older than the arena. The
	 * walk checks whether the top chunk ends at this end. */
	if (!heaps->complete && pm_glibc_can_change(glibc) && end_of_state(glibc, &end))
		fits = heaps->complete = true;
	if (!fits)
		return 0;
	if (heaps->complete && pm_glibc_grow(glibc, base, end, error) < 0)
		return -1;

	/* Otherwise, sbrk failed once, and the top chunk can be in mapped memory. */
	uint64_t limit = end_of_regions(glibc->heap->source.regions, base);
	if (!main->contiguous && (main->top < base || main->top >= limit))
		end = limit;
	if (base >= end)
		return 0;
	return add(heaps, (struct pm_glibc_heap){ base, align_up(base), end, false }, error);
}

/** Finds the heap_info in front of the malloc_state of an arena. */
static int find_oldest(struct pm_glibc *glibc, uint64_t arena, uint64_t *oldest,
                       struct pm_error *error)
{
	for (size_t i = 0; i < sizeof info_sizes / sizeof *info_sizes; i++) {
		struct info info;
		int got = read_info(glibc, arena - info_sizes[i], &info, error);
		if (got < 0)
			return -1;
		if (got > 0 && info.arena == arena && info.previous == 0) {
			*oldest = arena - info_sizes[i];
			return 1;
		}
	}
	return 0;
}

/** Finds the heap that contains the top chunk, and the maximum size of a heap. */
static int find_newest(struct pm_glibc *glibc, const struct pm_glibc_arena *arena, uint64_t *newest,
                       uint64_t *max, struct pm_error *error)
{
	for (size_t i = 0; i < sizeof heap_sizes / sizeof *heap_sizes; i++) {
		uint64_t start = arena->top & ~(heap_sizes[i] - 1);
		struct info info;
		int got = read_info(glibc, start, &info, error);
		if (got < 0)
			return -1;
		if (got > 0 && info_is_sane(glibc, &info, arena->address, heap_sizes[i]) &&
		    arena->top - start < info.size) {
			*newest = start;
			*max = heap_sizes[i];
			return 1;
		}
	}
	return 0;
}

/** The heaps of an arena are linked by `prev`, from the newest one to the oldest one. */
struct list {
	const struct pm_glibc_arena *arena;
	uint64_t oldest;
	uint64_t newest;
	uint64_t max; /* maximum size of a heap */
};

/**
 * Compares the sum of the sizes of all heaps with system_mem. In a running process, the arena can
 * have grown since system_mem was read: then the sum is newer.
 */
static int compare_sum(struct pm_glibc *glibc, const struct pm_glibc_arena *arena, uint64_t sum,
                       bool *complete, struct pm_error *error)
{
	const size_t index = (size_t)(arena - glibc->arenas);
	const struct pm_glibc_arena before = *arena;

	*complete = sum == arena->system;
	if (*complete || !pm_glibc_can_change(glibc))
		return 0;

	int changed = read_again(glibc, index, error);
	if (changed < 0)
		return -1;
	if (changed > 0) {
		glibc->arenas[index] = before;
		glibc->arenas[index].system = sum;
		*complete = true;
	}
	return 0;
}

/** Follows the list of heaps. Sets `complete` if it leads to the oldest heap. */
static int follow(struct pm_glibc *glibc, const struct list *list, struct pm_glibc_heaps *heaps,
                  struct pm_error *error)
{
	const struct pm_glibc_arena *arena = list->arena;
	const uint64_t info_size = arena->address - list->oldest;
	uint64_t at = list->newest, seen = 0, sum = 0;

	/* A damaged list can be a circle (Brent's algorithm). */
	while (heaps->count < HEAPS_MAX && at != seen) {
		struct info info;
		int got = read_info(glibc, at, &info, error);
		if (got < 0)
			return -1;
		if (got == 0 || at % list->max != 0 ||
		    !info_is_sane(glibc, &info, arena->address, list->max))
			return 0;

		if (pm_glibc_grow(glibc, at, at + info.size, error) < 0)
			return -1;

		uint64_t first = at + info_size;
		if (at == list->oldest)
			first = align_up(arena->address + glibc->layout->size);
		if (first - at >= info.size)
			return 0;
		if (add(heaps, (struct pm_glibc_heap){ at, first, at + info.size, false }, error) <
		    0)
			return -1;

		sum += info.size;
		if (at == list->oldest)
			return compare_sum(glibc, list->arena, sum, &heaps->complete, error);
		if ((heaps->count & (heaps->count - 1)) == 0)
			seen = at;
		at = info.previous;
	}

	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct pm_glibc_heap *one = a, *other = b;
	return (one->start > other->start) - (one->start < other->start);
}

/** Removes heaps that a damaged list contains several times. */
static void remove_duplicates(struct pm_glibc_heaps *heaps)
{
	size_t kept = 0;

	if (heaps->count > 0)
		qsort(heaps->items, heaps->count, sizeof *heaps->items, by_start);
	for (size_t i = 0; i < heaps->count; i++)
		if (kept == 0 || heaps->items[i].start != heaps->items[kept - 1].start)
			heaps->items[kept++] = heaps->items[i];
	heaps->count = kept;
}

/** Finds the heaps of an arena other than the main arena. */
static int find_others(struct pm_glibc *glibc, const struct pm_glibc_arena *arena,
                       struct pm_glibc_heaps *heaps, struct pm_error *error)
{
	struct list list = { .arena = arena };
	int got = find_oldest(glibc, arena->address, &list.oldest, error);

	if (got > 0)
		got = find_newest(glibc, arena, &list.newest, &list.max, error);
	if (got <= 0)
		return got;
	if (follow(glibc, &list, heaps, error) < 0)
		return -1;

	if (!heaps->complete)
		remove_duplicates(heaps);
	return 0;
}

int pm_glibc_heaps_find(struct pm_glibc *glibc, size_t arena, struct pm_glibc_heaps *heaps,
                        struct pm_error *error)
{
	heaps->count = 0;
	heaps->complete = false;
	if (arena == 0)
		return find_main(glibc, heaps, error);
	return find_others(glibc, &glibc->arenas[arena], heaps, error);
}

int pm_glibc_heaps_end(struct pm_glibc *glibc, size_t arena, const struct pm_glibc_heap *heap,
                       uint64_t *end, struct pm_error *error)
{
	const struct pm_glibc_arena *state = &glibc->arenas[arena];
	struct info info = { 0 };
	uint64_t size;

	if (arena == 0 && pm_glibc_can_change(glibc) && end_of_state(glibc, end))
		return 1;
	if (arena == 0) {
		int got = read_top(glibc, state->top, &size, error);
		if (got > 0 && (state->top < heap->first || size > UINT64_MAX - state->top))
			return 0;
		*end = state->top + size;
		return got;
	}

	int got = read_info(glibc, heap->start, &info, error);
	if (got > 0 && !info_is_sane(glibc, &info, state->address, UINT64_C(4) << 30))
		return 0;
	*end = heap->start + info.size;
	return got;
}
