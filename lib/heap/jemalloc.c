/* SPDX-License-Identifier: MIT */
/* jemalloc 5: visits all extents through the radix tree of jemalloc, and adds up their sizes. Each
 * slab and each large allocation becomes a uniform segment of the index. */
#include "heap/jemalloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"
#include "heap/jemalloc_cache.h"
#include "heap/jemalloc_find.h"

enum {
	ARENAS_MAX = 4096,
	/* A running process is read again if it changed */
	TRIES = 3,
};

/** What a walk over the extents finds. */
struct sums {
	struct pm_heap_handle *heap;
	struct pm_heap_index *index;
	struct pm_heap_index extents; /* `skipped`: the addresses of all extents */
	struct pm_heap_arena *arenas; /* by arena number, ARENAS_MAX elements */
	uint64_t count;               /* number of extents */
	uint64_t damaged;             /* number of entries without a valid extent */
	struct pm_heap_break *breaks; /* the first of them, PM_HEAP_BREAKS_MAX elements */
};

static int add_active(struct sums *sums, const struct pm_jemalloc_extent *extent,
                      struct pm_error *error)
{
	struct pm_heap_arena *arena = &sums->arenas[extent->arena];
	uint32_t count = 1, free = 0;
	const uint64_t *free_regions = NULL;
	if (extent->regions > 0) {
		count = extent->regions;
		free = extent->free;
		free_regions = extent->free_regions;
	}

	arena->heaps++;
	arena->chunks += count - free;
	arena->in_use += (count - free) * extent->class_size;
	arena->free_count += free;
	arena->free += free * extent->class_size;

	return pm_heap_index_add_uniform(sums->index, extent->address, extent->class_size, count,
	                                 free_regions, extent->arena, error);
}

/** Adds the pages of an extent that is not used. */
static int add_unused(struct pm_heap_handle *heap, const struct pm_jemalloc_extent *extent,
                      struct pm_error *error)
{
	if (pm_array_reserve(&heap->unused, &heap->unused_capacity, heap->unused_count, 1,
	                     sizeof *heap->unused, error) < 0)
		return -1;

	heap->unused[heap->unused_count++] = (struct pm_range){ extent->address,
		                                                extent->address + extent->size };
	return 0;
}

static int add_break(struct sums *sums, uint64_t page, const char *why, struct pm_error *error)
{
	if (sums->damaged < PM_HEAP_BREAKS_MAX)
		sums->breaks[sums->damaged] = (struct pm_heap_break){ .address = page, .why = why };
	sums->damaged++;

	return pm_heap_index_skip(sums->index, page, page + PM_JEMALLOC_PAGE, error);
}

static int add_extent(void *context, uint64_t page, const struct pm_jemalloc_extent *extent,
                      const char *why, struct pm_error *error)
{
	struct sums *sums = context;
	if (extent && extent->state == PM_JEMALLOC_CHANGING)
		why = "jemalloc was splitting or merging the extent of this page";
	if (why)
		return add_break(sums, page, why, error);

	struct pm_heap_arena *arena = &sums->arenas[extent->arena];

	sums->count++;
	if (pm_heap_index_skip(&sums->extents, page, page + extent->size, error) < 0)
		return -1;
	if (extent->state != PM_JEMALLOC_ACTIVE && add_unused(sums->heap, extent, error) < 0)
		return -1;
	if (extent->state == PM_JEMALLOC_RETAINED) {
		arena->retained += extent->size;
		return 0;
	}

	arena->system += extent->size;
	if (extent->state == PM_JEMALLOC_ACTIVE)
		return add_active(sums, extent, error);

	arena->free += extent->size;
	arena->unused_pages += extent->size;
	if (extent->state == PM_JEMALLOC_MUZZY)
		arena->muzzy += extent->size;
	arena->trimmable += extent->size;
	return 0;
}

/** Adds the figures of an arena to a sum. */
static void add_arena(struct pm_heap_arena *sum, const struct pm_heap_arena *arena)
{
	sum->system += arena->system;
	sum->in_use += arena->in_use;
	sum->free += arena->free;
	sum->overhead += arena->overhead;
	sum->trimmable += arena->trimmable;
	sum->chunks += arena->chunks;
	sum->free_count += arena->free_count;
	sum->heaps += arena->heaps;
	sum->unused_pages += arena->unused_pages;
	sum->muzzy += arena->muzzy;
	sum->retained += arena->retained;
}

/** Moves the arenas that have extents to the start of the array, and sets their totals. */
static void keep_arenas(struct pm_heap *heap, struct sums *sums)
{
	uint32_t numbers[ARENAS_MAX] = { 0 };
	bool complete = sums->damaged == 0;

	for (uint32_t i = 0; i < ARENAS_MAX; i++) {
		struct pm_heap_arena *arena = &sums->arenas[i];
		if (arena->system == 0 && arena->retained == 0 && arena->heaps == 0)
			continue;

		/* Extents that changed during the walk can be counted twice. */
		uint64_t known = arena->in_use + arena->free;
		if (arena->system > known)
			arena->overhead = arena->system - known;
		arena->complete = complete;
		add_arena(&heap->total, arena);
		numbers[i] = (uint32_t)heap->arena_count;
		sums->arenas[heap->arena_count++] = *arena;
	}

	for (size_t i = 0; i < sums->index->count; i++)
		sums->index->segments[i].arena = numbers[sums->index->segments[i].arena];

	heap->total.complete = complete;
	heap->complete = complete;
	heap->breaks_total = sums->damaged;
	heap->breaks = sums->breaks;
	heap->break_count = (size_t)pm_min(sums->damaged, PM_HEAP_BREAKS_MAX);
	heap->arenas = sums->arenas;
}

/** Walks over the extents, again if the target changed during the walk. */
static int read_extents(struct pm_heap_handle *heap, const struct pm_jemalloc_tree *tree,
                        struct sums *sums, struct pm_error *error)
{
	for (int i = 1; i <= TRIES; i++) {
		pm_heap_window_forget(heap->window);
		pm_heap_index_deinit(sums->index);
		pm_heap_index_deinit(&sums->extents);
		if (i > 1)
			memset(sums->arenas, 0, ARENAS_MAX * sizeof *sums->arenas);
		sums->count = sums->damaged = 0;
		heap->own_count = heap->unused_count = 0;

		if (pm_jemalloc_tree_walk(heap, tree, add_extent, sums, error) < 0)
			return -1;
		if (sums->damaged == 0 || heap->source.stopped)
			break;
	}

	return 0;
}

static void describe(struct pm_heap_handle *heap, const struct pm_jemalloc_tree *tree,
                     const struct sums *sums)
{
	struct pm_heap *result = &heap->result;
	const struct pm_region *region = pm_regions_find(heap->source.regions, tree->root);
	const char *name = region ? region->mapping : "";

	result->allocator = PM_HEAP_ALLOCATOR_JEMALLOC;
	snprintf(result->version, sizeof result->version, "%s", tree->layout->versions);
	snprintf(result->proof, sizeof result->proof,
	         "the radix tree at 0x%" PRIx64 "%s%.80s refers to %" PRIu64
	         " extents that fit their entries",
	         tree->root, name[0] ? " in " : "", name, sums->count);
}

/** Finds the regions in the caches of threads. */
static int find_caches(struct pm_heap_handle *heap, const struct pm_jemalloc_tree *tree,
                       struct sums *sums, struct pm_error *error)
{
	if (pm_heap_index_finish(&heap->index, error) < 0 ||
	    pm_heap_index_finish(&sums->extents, error) < 0)
		return -1;

	return pm_jemalloc_cache_find(heap, tree->layout, &sums->extents, error);
}

int pm_heap_jemalloc(struct pm_heap_handle *heap, struct pm_error *error)
{
	struct pm_jemalloc_tree tree;
	int found = pm_jemalloc_find(heap, &tree, error);
	if (found <= 0)
		return found;

	struct sums sums = { .heap = heap,
		             .index = &heap->index,
		             .arenas = calloc(ARENAS_MAX, sizeof *sums.arenas),
		             .breaks = calloc(PM_HEAP_BREAKS_MAX, sizeof *sums.breaks) };
	if (!sums.arenas || !sums.breaks) {
		free(sums.arenas);
		free(sums.breaks);
		return pm_error_out_of_memory(error);
	}

	int result = read_extents(heap, &tree, &sums, error);
	describe(heap, &tree, &sums);
	keep_arenas(&heap->result, &sums);
	if (result == 0)
		result = find_caches(heap, &tree, &sums, error);

	pm_heap_index_deinit(&sums.extents);
	return result < 0 ? -1 : 1;
}
