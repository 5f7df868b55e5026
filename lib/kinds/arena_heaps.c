/* SPDX-License-Identifier: MIT */
#include "kinds/arena_heaps.h"

#include <stdlib.h>

#include "base/array.h"
#include "kinds/context.h"
#include "kinds/evidence_read.h"
#include "kinds/malloc_headers.h"
#include "kinds/objects.h"

enum { HEAP_INFO_WORDS = 4, HEAP_INFO_MAX = 64 };

/**
 * Returns the end of the contiguous writable regions that start with `region`. A heap can consist
 * of several regions, because the kernel splits it where flags differ.
 */
static uint64_t writable_end(const struct pm_kinds_context *context, const struct pm_region *region)
{
	const struct pm_region *above;
	while ((above = pm_kinds_above(context, region)) &&
	       pm_kinds_region_class(context, above) == PM_REGION_CLASS_WRITABLE)
		region = above;
	return region->end;
}

/**
 * Returns whether the accessible part of a heap, according to the heap_info, ends where the
 * writable memory ends in maps. If the heap is full, more writable memory may follow. Because the
 * target keeps running, the heap may have grown or shrunk after maps was read. A different end is
 * therefore accepted if the inaccessible rest follows the writable memory and reaches the end of
 * the heap.
 */
static bool fits_memory(const struct pm_kinds_context *context, const struct pm_arena_heap *heap,
                        uint64_t heap_max)
{
	uint64_t end = writable_end(context, heap->region);
	uint64_t accessible = heap->start + heap->mprotect_size;
	if (accessible == end || (accessible < end && heap->mprotect_size == heap_max))
		return true;

	const struct pm_region *last = pm_regions_find(context->regions, end - 1);
	if (!last)
		return false;

	const struct pm_region *rest = pm_kinds_above(context, last);
	return rest && pm_kinds_region_class(context, rest) == PM_REGION_CLASS_CLOSED &&
	       rest->end >= heap->start + heap_max;
}

static void parse_info(const struct pm_kinds_context *context, struct pm_arena_heap *heap,
                       const void *info, unsigned word, uint64_t heap_max)
{
	const char *words = info;
	heap->arena = pm_kinds_word(words, word);
	heap->prev = pm_kinds_word(words + word, word);
	heap->size = pm_kinds_word(words + 2 * (size_t)word, word);
	heap->mprotect_size = pm_kinds_word(words + 3 * (size_t)word, word);
	heap->is_plausible = heap->arena != 0 && heap->arena % (UINT64_C(2) * word) == 0 &&
	                     heap->prev % heap_max == 0 &&
	                     heap->size >= (uint64_t)HEAP_INFO_WORDS * word &&
	                     heap->size <= heap->mprotect_size && heap->mprotect_size <= heap_max &&
	                     heap->mprotect_size % context->page == 0 &&
	                     fits_memory(context, heap, heap_max);
}

static int add(struct pm_kinds_context *context, struct pm_arena_heaps *heaps,
               struct pm_region *region, uint64_t start, const void *info, struct pm_error *error)
{
	if (pm_array_reserve(&heaps->items, &heaps->capacity, heaps->count, 1, sizeof *heaps->items,
	                     error) < 0)
		return -1;

	struct pm_arena_heap *heap = &heaps->items[heaps->count++];
	*heap = (struct pm_arena_heap){ .region = region, .start = start };
	parse_info(context, heap, info, pm_kinds_word_size(context), heaps->heap_max);
	return 0;
}

/**
 * Adds the candidate for a heap that follows a full heap in the same region, because the kernel may
 * have merged two heaps. Adds nothing if the heap at `index` is not full.
 */
static int add_following(struct pm_kinds_context *context, struct pm_arena_heaps *heaps,
                         size_t index, struct pm_error *error)
{
	const struct pm_arena_heap heap = heaps->items[index];
	uint64_t next = heap.start + heaps->heap_max;
	if (!heap.is_plausible || heap.mprotect_size != heaps->heap_max || next >= heap.region->end)
		return 0;

	enum pm_presence presence;
	unsigned char info[HEAP_INFO_MAX];
	bool got = false;
	if (pm_kinds_presence(context, heap.region, next, &presence, error) < 0)
		return -1;
	if (presence != PM_PRESENT)
		return 0;
	if (pm_kinds_read(context, &next, 1, sizeof info, info, &got, error) < 0)
		return -1;

	if (!got)
		return 0;
	return add(context, heaps, heap.region, next, info, error);
}

static int by_start(const void *one, const void *other)
{
	const struct pm_arena_heap *a = one, *b = other;
	return (a->start > b->start) - (a->start < b->start);
}

int pm_arena_heaps_read(struct pm_kinds_context *context, struct pm_arena_heaps *heaps,
                        struct pm_error *error)
{
	*heaps = (struct pm_arena_heaps){ .heap_max = pm_arena_heap_max(context) };
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at));) {
		if (region->start % heaps->heap_max == 0 &&
		    pm_malloc_header_was_read(context, region) &&
		    add(context, heaps, region, region->start, pm_malloc_header(context, region),
		        error) < 0)
			return -1;
	}

	for (size_t i = 0; i < heaps->count; i++) {
		if (add_following(context, heaps, i, error) < 0)
			return -1;
	}

	if (heaps->count > 0)
		qsort(heaps->items, heaps->count, sizeof *heaps->items, by_start);

	return 0;
}

struct pm_arena_heap *pm_arena_heap_at(const struct pm_arena_heaps *heaps, uint64_t start)
{
	const struct pm_arena_heap key = { .start = start };
	if (heaps->count == 0)
		return NULL;
	return bsearch(&key, heaps->items, heaps->count, sizeof key, by_start);
}

/**
 * Returns whether a heap is the first heap of its arena. The arena structure then follows the
 * heap_info (at an offset of 0x10 to 0x30, depending on the padding of the glibc version).
 */
static bool is_first(const struct pm_arena_heap *heap, unsigned word)
{
	return heap->is_plausible && heap->prev == 0 &&
	       heap->arena >= heap->start + (uint64_t)HEAP_INFO_WORDS * word &&
	       heap->arena <= heap->start + HEAP_INFO_MAX;
}

/**
 * Returns the previous heap of the same arena, to which `prev` refers. Returns NULL if `prev` is 0,
 * or if the heap there is not plausible or belongs to another arena.
 */
static struct pm_arena_heap *heap_before(const struct pm_arena_heaps *heaps,
                                         const struct pm_arena_heap *heap)
{
	if (heap->prev == 0)
		return NULL;

	struct pm_arena_heap *before = pm_arena_heap_at(heaps, heap->prev);
	if (!before || !before->is_plausible || before->arena != heap->arena)
		return NULL;
	return before;
}

/**
 * Follows `prev` from a heap to the nearest heap whose index is known, and sets the indices of all
 * heaps on the way. If there is no such heap, no index is set. The number of steps is limited,
 * because the addresses come from the target and may form a circle.
 */
static void follow_chain(const struct pm_arena_heaps *heaps, struct pm_arena_heap *heap)
{
	size_t steps = 0;
	struct pm_arena_heap *known = heap;
	while (known && known->index == 0 && steps++ < heaps->count)
		known = heap_before(heaps, known);

	if (!known || known->index == 0)
		return;

	unsigned index = known->index + (unsigned)steps;
	for (; heap != known; heap = heap_before(heaps, heap))
		heap->index = index--;
}

/** An arena, identified by its address. */
struct arena {
	uint64_t address;
	unsigned heaps;
};

static int by_address_descending(const void *one, const void *other)
{
	const struct arena *a = one, *b = other;
	return (a->address < b->address) - (a->address > b->address);
}

static struct arena *find_arena(struct arena *arenas, size_t count, uint64_t address)
{
	const struct arena key = { .address = address };
	if (count == 0)
		return NULL;
	return bsearch(&key, arenas, count, sizeof key, by_address_descending);
}

static int number_arenas(struct pm_arena_heaps *heaps, struct pm_error *error)
{
	struct arena *arenas = calloc(heaps->count, sizeof *arenas);
	size_t count = 0;

	if (!arenas)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < heaps->count; i++) {
		if (heaps->items[i].index == 1)
			arenas[count++].address = heaps->items[i].arena;
	}

	qsort(arenas, count, sizeof *arenas, by_address_descending);
	for (size_t i = 0; i < heaps->count; i++) {
		/*
		 * A heap has an index only if its chain reaches the first heap of its arena. The
		 * arena is therefore in the list.
		 */
		if (heaps->items[i].index == 0)
			continue;
		struct arena *arena = find_arena(arenas, count, heaps->items[i].arena);
		if (arena)
			arena->heaps++;
	}

	for (size_t i = 0; i < heaps->count; i++) {
		struct pm_arena_heap *heap = &heaps->items[i];
		const struct arena *arena = find_arena(arenas, count, heap->arena);
		if (heap->is_plausible && arena) {
			heap->arena_number = (unsigned)(arena - arenas) + 1;
			heap->of = arena->heaps;
		}
	}

	free(arenas);
	return 0;
}

int pm_arena_heaps_link(struct pm_arena_heaps *heaps, unsigned word, struct pm_error *error)
{
	if (heaps->count == 0)
		return 0;

	for (size_t i = 0; i < heaps->count; i++)
		heaps->items[i].index = is_first(&heaps->items[i], word);

	for (size_t i = 0; i < heaps->count; i++) {
		if (heaps->items[i].is_plausible)
			follow_chain(heaps, &heaps->items[i]);
	}

	return number_arenas(heaps, error);
}
