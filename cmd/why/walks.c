/* SPDX-License-Identifier: MIT */
#include "why/walks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/minmax.h"

void why_walks_begin(struct why_walks *walks, struct pm_process *process,
                     const volatile sig_atomic_t *cancel)
{
	walks->process = process;
	walks->cancel = cancel;
	walks->complete = true;
	pm_regions_init(&walks->regions);
}

static struct why_arena *find_arena(struct why_walks *walks, uint64_t address)
{
	for (size_t i = 0; i < walks->arena_count; i++)
		if (walks->arenas[i].last.address == address)
			return &walks->arenas[i];

	walks->arenas = alloc_array(walks->arenas, walks->arena_count + 1, sizeof *walks->arenas);
	struct why_arena *arena = &walks->arenas[walks->arena_count++];
	*arena = (struct why_arena){ 0 };
	return arena;
}

/** Stores the figures of all arenas. */
static void note_arenas(struct why_walks *walks, const struct pm_heap *heap)
{
	for (size_t i = 0; i < heap->arena_count; i++) {
		struct why_arena *arena = find_arena(walks, heap->arenas[i].address);

		/* An arena that appears later had no chunks before. */
		arena->last = heap->arenas[i];
		arena->in_use[walks->count] = heap->arenas[i].in_use;
		arena->free[walks->count] = arena->last.free + arena->last.cached + arena->last.top;
		arena->walks++;
	}
	walks->complete = walks->complete && heap->complete;
}

/** Finds the threads of the arenas. Without them, the arenas have no threads. */
static void note_threads(struct why_walks *walks, struct pm_heap *heap)
{
	struct pm_arena_threads threads = { 0 };

	if (pm_arena_threads_find(heap, walks->process, NULL, &threads, NULL) < 0)
		return;

	for (size_t i = 0; i < heap->arena_count; i++) {
		size_t count = 0;
		const struct pm_arena_thread *first = pm_arena_threads_of(&threads, (uint32_t)i,
		                                                          &count);
		struct why_arena *arena = find_arena(walks, heap->arenas[i].address);

		arena->threads = (uint32_t)count;
		if (count > 0)
			arena->thread = *first;
	}
	pm_arena_threads_deinit(&threads);
}

/** Counts all chunks by size and type. */
static int count_chunks(struct why_walks *walks, struct pm_heap *heap, struct pm_error *error)
{
	const struct pm_census_options options = { .keys = PM_CENSUS_SIZE | PM_CENSUS_TYPE,
		                                   .types = walks->contents.types };

	pm_census_destroy(walks->census);
	walks->census = NULL;
	if (pm_census_create(&options, &walks->census, error) < 0 ||
	    pm_census_add_heap(walks->census, heap, error) < 0 ||
	    pm_census_sort(walks->census, PM_CENSUS_BY_BYTES, error) < 0)
		return -1;
	return 0;
}

static int walk_over(struct why_walks *walks, struct pm_heap *heap, struct pm_error *error)
{
	/* Until here, the first walk has spent time on symbols. */
	double began = clock_boot_seconds();

	if (pm_survivors_walk(walks->survivors, heap, error) < 0)
		return -1;

	/* Chunks that appear during the walk are counted if their place comes later. */
	walks->times[walks->count] = (began + clock_boot_seconds()) / 2;
	note_arenas(walks, heap);
	if (walks->count == PM_SURVIVORS_WALKS - 1) {
		note_threads(walks, heap);
		return count_chunks(walks, heap, error);
	}
	return 0;
}

static void note_allocator(struct why_walks *walks, const struct pm_heap *heap)
{
	snprintf(walks->allocator, sizeof walks->allocator, "%s %s",
	         pm_heap_allocator_name(heap->allocator), heap->version);
}

/** Opens the heap for the first time, and the search for types, which all walks use. */
static int walk_first(struct why_walks *walks, struct pm_error *error)
{
	struct malloc_heap *first = &walks->first;

	if (pm_maps_read(walks->process, PM_MAPS, &walks->regions, error) < 0 ||
	    malloc_heap_open_process(walks->process, &walks->regions, walks->cancel, first, error) <
	            0 ||
	    malloc_heap_check(first->heap, NULL, "", error) < 0)
		return -1;

	const struct chunk_contents_target target = { .process = walks->process,
		                                      .memory = &first->source,
		                                      .heap = first->heap };

	note_allocator(walks, first->heap);
	if (chunk_contents_open(&walks->contents, &target, error) < 0 ||
	    pm_survivors_open(walks->contents.types, NULL, &walks->survivors, error) < 0)
		return -1;

	int result = walk_over(walks, first->heap, error);
	pm_heap_close(first->heap);
	first->heap = NULL;
	return result;
}

static int walk_again(struct why_walks *walks, struct pm_error *error)
{
	struct pm_regions regions;
	struct malloc_heap opened = { 0 };
	int result = -1;

	pm_regions_init(&regions);
	if (pm_maps_read(walks->process, PM_MAPS, &regions, error) == 0 &&
	    malloc_heap_open_process(walks->process, &regions, walks->cancel, &opened, error) ==
	            0 &&
	    malloc_heap_check(opened.heap, NULL, "", error) == 0)
		result = walk_over(walks, opened.heap, error);

	malloc_heap_close(&opened);
	pm_regions_deinit(&regions);
	return result;
}

/**
 * Keeps why the heap is not known, unless the reason ends the investigation.
 * @return 0, or -1 if it does
 */
static int fail(struct why_walks *walks, const struct pm_error *why, struct pm_error *error)
{
	if (why->kind == PM_ERROR_GONE || why->kind == PM_ERROR_CANCELLED ||
	    why->kind == PM_ERROR_RESOURCES) {
		*error = *why;
		return -1;
	}
	walks->failure = *why;
	return 0;
}

int why_walks_make(struct why_walks *walks, struct pm_error *error)
{
	struct pm_error why = { 0 };

	if (walks->failure.kind != PM_ERROR_NONE || walks->count == PM_SURVIVORS_WALKS)
		return 0;

	int result = walks->count == 0 ? walk_first(walks, &why) : walk_again(walks, &why);
	if (result == 0) {
		walks->count++;
		return 0;
	}

	return fail(walks, &why, error);
}

/** Walks over the heap of a core file. */
static int walk_core(struct why_walks *walks, const struct loaded *loaded,
                     const volatile sig_atomic_t *cancel, struct pm_error *error)
{
	struct malloc_heap *first = &walks->first;

	if (malloc_heap_open_loaded(loaded, cancel, first, error) < 0 ||
	    malloc_heap_check(first->heap, loaded->core, loaded->target->word, error) < 0)
		return -1;

	const struct chunk_contents_target target = { .core = loaded->core,
		                                      .memory = &first->source,
		                                      .heap = first->heap };

	if (chunk_contents_open(&walks->contents, &target, error) < 0)
		return -1;
	note_allocator(walks, first->heap);
	note_arenas(walks, first->heap);
	return count_chunks(walks, first->heap, error);
}

int why_walks_read(struct why_walks *walks, const struct loaded *loaded,
                   const volatile sig_atomic_t *cancel, struct pm_error *error)
{
	struct pm_error why = { 0 };

	walks->complete = true;
	pm_regions_init(&walks->regions);
	if (walk_core(walks, loaded, cancel, &why) < 0)
		return fail(walks, &why, error);
	walks->count = 1;
	return 0;
}

uint64_t why_walks_free_always(const struct why_walks *walks, const struct why_arena *arena)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < walks->count; i++)
		least = pm_min(least, arena->free[i]);
	return walks->count > 0 ? least : 0;
}

bool why_walks_know_growth(const struct why_walks *walks)
{
	return walks->survivors && walks->count == PM_SURVIVORS_WALKS;
}

void why_walks_deinit(struct why_walks *walks)
{
	pm_survivors_close(walks->survivors);
	pm_census_destroy(walks->census);
	chunk_contents_close(&walks->contents);
	malloc_heap_close(&walks->first);
	pm_regions_deinit(&walks->regions);
	free(walks->arenas);
}
