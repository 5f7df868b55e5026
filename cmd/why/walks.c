/* SPDX-License-Identifier: MIT */
#include "why/walks.h"

#include <stdio.h>
#include <stdlib.h>

#include <procmem/census_sample.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/minmax.h"

/*
 * A heap is large from this number of chunks on: three walks that read all contents would take more
 * than 0.1 s of CPU time. Then about this number of contents is read.
 */
enum { LARGE = 200000, READ_MAX = 65536 };

void why_walks_begin(struct why_walks *walks, struct pm_process *process,
                     const volatile sig_atomic_t *cancel)
{
	walks->process = process;
	walks->cancel = cancel;
	walks->complete = true;
	pm_regions_init(&walks->regions);
	pm_regions_init(&walks->second_regions);
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
	walks->chunks = heap->total.chunks + heap->mapped_count;
	walks->whole++;
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
	if (pm_census_create(&options, &walks->census, error) < 0)
		return -1;

	walks->read = walks->chunks;
	int result = walks->sparse ? pm_census_add_sample(walks->census, heap, READ_MAX,
	                                                  &walks->read, error)
	                           : pm_census_add_heap(walks->census, heap, error);
	return result < 0 ? -1 : pm_census_sort(walks->census, PM_CENSUS_BY_BYTES, error);
}

/** Returns the number of the last walk that visits all chunks, from 0. */
static unsigned last_whole(const struct why_walks *walks)
{
	return walks->sparse ? 1 : PM_SURVIVORS_WALKS - 1;
}

/**
 * Makes a walk over a heap that was just opened.
 * @param began  when opening it began, in seconds
 */
static int walk_over(struct why_walks *walks, struct pm_heap *heap, double began,
                     struct pm_error *error)
{
	double now = clock_boot_seconds();

	if (walks->count == 0 && heap->chunk_count >= LARGE) {
		walks->sparse = true;
		pm_survivors_set_sparse(walks->survivors);
	}
	if (pm_survivors_walk(walks->survivors, heap, error) < 0)
		return -1;

	/* Chunks that appear during the walk are counted if their place comes later. The contents
	 * of a large heap are not part of the walk. */
	walks->times[walks->count] = walks->sparse ? (began + now) / 2
	                                           : (now + clock_boot_seconds()) / 2;
	note_arenas(walks, heap);
	if (walks->count != last_whole(walks))
		return 0;
	note_threads(walks, heap);
	return count_chunks(walks, heap, error);
}

static void note_allocator(struct why_walks *walks, const struct pm_heap *heap)
{
	snprintf(walks->allocator, sizeof walks->allocator, "%s %s",
	         pm_heap_allocator_name(heap->allocator), heap->version);
}

/* From this size of writable private memory on, smaps is worth its cost; up to this number of
 * regions. */
static const uint64_t smaps_bytes = UINT64_C(64) << 20;
enum { SMAPS_REGIONS = 5000 };

/**
 * Reads the regions. If there is much to read in few regions, it reads them with VmFlags: then
 * memory is read twice as fast (target_reader.h).
 */
static int read_regions(struct why_walks *walks, struct pm_regions *regions, struct pm_error *error)
{
	const unsigned writable = PM_PERM_READ | PM_PERM_WRITE;
	uint64_t bytes = 0;

	if (pm_maps_read(walks->process, PM_MAPS, regions, error) < 0)
		return -1;
	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];

		if ((region->perms & writable) == writable && !(region->perms & PM_PERM_SHARED))
			bytes += region->end - region->start;
	}
	if (bytes < smaps_bytes || regions->count > SMAPS_REGIONS)
		return 0;
	pm_regions_clear(regions);
	return pm_maps_read(walks->process, PM_SMAPS, regions, error);
}

/** Checks that a heap could be read: the error says why not. */
static int check_heap(const struct why_walks *walks, const struct pm_heap *heap,
                      struct pm_error *error)
{
	char word[24];

	snprintf(word, sizeof word, "%d", (int)pm_process_pid(walks->process));
	return malloc_heap_check(heap, NULL, word, error);
}

/** Opens the heap for the first time, and the search for types, which all walks use. */
static int walk_first(struct why_walks *walks, struct pm_error *error)
{
	struct malloc_heap *first = &walks->first;
	double began = clock_boot_seconds();

	if (read_regions(walks, &walks->regions, error) < 0 ||
	    malloc_heap_open_beside(walks->process, &walks->regions, &walks->skip[0], walks->cancel,
	                            first, error) < 0 ||
	    check_heap(walks, first->heap, error) < 0)
		return -1;

	double opened = clock_boot_seconds();
	const struct chunk_contents_target target = { .process = walks->process,
		                                      .memory = &first->source,
		                                      .heap = first->heap };

	note_allocator(walks, first->heap);
	if (chunk_contents_open(&walks->contents, &target, error) < 0 ||
	    pm_survivors_open(walks->contents.types, NULL, &walks->survivors, error) < 0)
		return -1;

	/* Symbols have taken time: the walk began that much later. */
	began += clock_boot_seconds() - opened;
	int result = walk_over(walks, first->heap, began, error);
	if (!walks->sparse) {
		pm_heap_close(first->heap);
		first->heap = NULL;
	}
	return result;
}

static int walk_again(struct why_walks *walks, struct malloc_heap *opened,
                      struct pm_regions *regions, struct pm_error *error)
{
	double began = clock_boot_seconds();

	if (read_regions(walks, regions, error) < 0 ||
	    malloc_heap_open_beside(walks->process, regions, &walks->skip[walks->count],
	                            walks->cancel, opened, error) < 0 ||
	    check_heap(walks, opened->heap, error) < 0)
		return -1;
	return walk_over(walks, opened->heap, began, error);
}

/** Makes a walk after the first one over a heap whose contents are all read. */
static int walk_whole(struct why_walks *walks, struct pm_error *error)
{
	struct malloc_heap opened = { 0 };
	struct pm_regions regions;

	pm_regions_init(&regions);
	int result = walk_again(walks, &opened, &regions, error);
	malloc_heap_close(&opened);
	pm_regions_deinit(&regions);
	return result;
}

/** Makes the second walk over a large heap, or reads the chunks that it has found again. */
static int walk_sparsely(struct why_walks *walks, struct pm_error *error)
{
	if (walks->count > 1) {
		walks->times[walks->count] = clock_boot_seconds();
		return pm_survivors_walk(walks->survivors, walks->second.heap, error);
	}

	int result = walk_again(walks, &walks->second, &walks->second_regions, error);
	pm_heap_close(walks->first.heap);
	walks->first.heap = NULL;
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

int why_walks_make(struct why_walks *walks, const struct pm_runtimes *runtimes,
                   struct pm_error *error)
{
	struct pm_error why = { 0 };

	if (walks->failure.kind != PM_ERROR_NONE || walks->count == PM_SURVIVORS_WALKS)
		return 0;

	walks->skip[walks->count] = malloc_heap_skip_of(runtimes);
	int result;
	if (walks->count == 0)
		result = walk_first(walks, &why);
	else if (walks->sparse)
		result = walk_sparsely(walks, &why);
	else
		result = walk_whole(walks, &why);
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
	pm_regions_init(&walks->second_regions);
	if (walk_core(walks, loaded, cancel, &why) < 0)
		return fail(walks, &why, error);
	walks->count = 1;
	return 0;
}

uint64_t why_walks_free_always(const struct why_walks *walks, const struct why_arena *arena)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < walks->whole; i++)
		least = pm_min(least, arena->free[i]);
	return walks->whole > 0 ? least : 0;
}

double why_walks_seconds(const struct why_walks *walks)
{
	return walks->whole > 1 ? walks->times[walks->whole - 1] - walks->times[0] : 0;
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
	malloc_heap_close(&walks->second);
	pm_regions_deinit(&walks->regions);
	pm_regions_deinit(&walks->second_regions);
	for (unsigned i = 0; i < PM_SURVIVORS_WALKS; i++)
		free(walks->skip[i].ranges);
	free(walks->arenas);
}
