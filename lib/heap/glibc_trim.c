/* SPDX-License-Identifier: MIT */
/*
 * malloc_trim(3) merges the chunks of all fastbins with the free chunks beside them, and with top.
 * It then returns the whole pages in free chunks of all arenas, and those in the top of the main
 * arena. It does not trim the top of other arenas.
 */
#include "heap/glibc_trim.h"

#include <stdlib.h>

#include "base/array.h"
#include "heap/glibc_chain.h"
#include "heap/glibc_pages.h"

/* Bytes at the start of a free chunk that malloc_trim(3) keeps: its header and its links. */
enum { TRIM_HEADER = 0x30 };

/** What pm_glibc_trim_merged() needs. */
struct merging {
	struct pm_glibc *glibc;
	struct pm_glibc_pages pages;  /* of one arena, ascending */
	struct pm_glibc_free_run run; /* the last run; empty if there is none */
	uint32_t arena;               /* the arena to which `pages` belong */
	struct pm_error *error;
};

struct pm_range pm_glibc_trim_pages(const struct pm_glibc *glibc,
                                    const struct pm_glibc_free_run *run)
{
	const struct pm_range none = { 0 };
	uint64_t page = glibc->page, start = run->range.start + TRIM_HEADER;

	if (run->is_top && run->arena != 0)
		return none;
	/* Of top, MINSIZE bytes and one more are kept. */
	if (run->is_top)
		start = run->range.start + PM_GLIBC_CHUNK_MIN + 1;

	start = (start + page - 1) & ~(page - 1);
	uint64_t end = run->range.end & ~(page - 1);
	return start < end ? (struct pm_range){ start, end } : none;
}

/** Adds the pages of the last run, and ends the run. */
static int end_run(struct merging *merging)
{
	struct pm_glibc_pages *pages = &merging->pages;
	const struct pm_range range = pm_glibc_trim_pages(merging->glibc, &merging->run);

	merging->run.range = (struct pm_range){ 0 };
	if (range.start == range.end)
		return 0;

	if (pm_array_reserve(&pages->items, &pages->capacity, pages->count, 1, sizeof *pages->items,
	                     merging->error) < 0)
		return -1;
	pages->items[pages->count++] = range;
	return 0;
}

/** Adds the pages of an arena to its figures. */
static int end_arena(struct merging *merging)
{
	struct pm_heap_handle *heap = merging->glibc->heap;
	uint64_t bytes = 0;

	if (end_run(merging) < 0)
		return -1;
	if (merging->pages.count == 0)
		return 0;

	int result = pm_glibc_pages_count(&heap->source, merging->pages.items, merging->pages.count,
	                                  &bytes, merging->error);
	heap->result.arenas[merging->arena].trimmable += bytes;
	merging->pages.count = 0;
	return result;
}

/** Adds a chunk to the last run, or ends this run. */
static int add_chunk(struct merging *merging, const struct pm_chunk *chunk)
{
	struct pm_glibc_free_run *run = &merging->run;
	bool is_free = chunk->state != PM_CHUNK_IN_USE;
	bool continues = is_free && chunk->address == run->range.end;

	if (!continues && end_run(merging) < 0)
		return -1;
	if (!is_free)
		return 0;

	if (!continues)
		*run = (struct pm_glibc_free_run){ { chunk->address, 0 }, chunk->arena, false };
	run->range.end = chunk->address + chunk->size;
	run->is_top = chunk->state == PM_CHUNK_TOP;
	return 0;
}

/** Adds a chunk, unless its arena has no chunks in fastbins. */
static int visit(struct merging *merging, const struct pm_chunk *chunk)
{
	const struct pm_glibc *glibc = merging->glibc;

	/* The heaps of an arena are not adjacent, but heaps of other arenas can lie in between. */
	if (chunk->arena != merging->arena) {
		if (end_arena(merging) < 0)
			return -1;
		merging->arena = chunk->arena;
	}

	if (chunk->arena >= glibc->count || glibc->heap->result.arenas[chunk->arena].fast == 0)
		return 0;
	return add_chunk(merging, chunk);
}

int pm_glibc_trim_merged(struct pm_glibc *glibc, struct pm_error *error)
{
	struct merging merging = { .glibc = glibc, .error = error };
	struct pm_heap *heap = &glibc->heap->result;
	struct pm_heap_cursor cursor = { 0 };
	struct pm_chunk chunk;
	uint64_t fast = 0;
	int result = 0;

	for (size_t i = 0; i < heap->arena_count; i++) {
		fast += heap->arenas[i].fast;
		if (heap->arenas[i].fast > 0)
			heap->arenas[i].trimmable = 0;
	}
	if (fast == 0)
		return 0;

	while (result == 0 && pm_heap_index_next(&glibc->heap->index, &cursor, &chunk))
		result = visit(&merging, &chunk);
	if (result == 0)
		result = end_arena(&merging);

	free(merging.pages.items);
	return result;
}
