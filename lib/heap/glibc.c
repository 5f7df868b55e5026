/* SPDX-License-Identifier: MIT */
/*
 * malloc of glibc: finds the arenas, walks over their heaps, finds the mapped chunks, and adds up
 * the figures. mallinfo2(3) and malloc_info(3) of the target report the same figures:
 *
 *     mallinfo2.arena    = system
 *     mallinfo2.uordblks = in_use + overhead + cached chunks that are not in fastbins
 *     mallinfo2.fordblks = free + top + fast
 *     mallinfo2.fsmblks  = fast
 *     mallinfo2.hblkhd   = mapped
 */
#include "heap/glibc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "heap/glibc_cached.h"
#include "heap/glibc_find.h"
#include "heap/glibc_heaps.h"
#include "heap/glibc_mapped.h"
#include "heap/glibc_version.h"
#include "heap/glibc_walk.h"

enum { TRIES = 8 };

/**
 * Finds the heaps of an arena. In a running process the structures may be changing: then they are
 * read again.
 */
static int find_heaps(struct pm_glibc *glibc, size_t arena, struct pm_glibc_heaps *heaps,
                      struct pm_error *error)
{
	for (int i = 0;; i++) {
		if (pm_glibc_heaps_find(glibc, arena, heaps, error) < 0)
			return -1;
		if (heaps->complete || !pm_glibc_can_change(glibc) || i == TRIES)
			return 0;

		pm_heap_window_forget(glibc->heap->window);
		if (pm_glibc_find_again(glibc, arena, error) < 0)
			return -1;
	}
}

/** Sets the range of addresses that contains the heaps of an arena. */
static void set_arena_range(struct pm_glibc *glibc, size_t arena,
                            const struct pm_glibc_heaps *heaps)
{
	struct pm_range range = { UINT64_MAX, 0 };

	for (size_t i = 0; i < heaps->count; i++) {
		range.start = pm_min(range.start, heaps->items[i].start);
		range.end = pm_max(range.end, heaps->items[i].end);
	}

	/* The mapped parts of the main arena can be anywhere. */
	if (arena == 0 && !glibc->arenas[0].contiguous)
		range = (struct pm_range){ 0, UINT64_C(1) << 56 };
	glibc->arena_range = range;
}

/** Returns whether the arena got another heap while its heaps were walked over. */
static bool has_new_heap(const struct pm_glibc *glibc, size_t arena,
                         const struct pm_glibc_heaps *heaps)
{
	uint64_t top = glibc->arenas[arena].top;

	if (arena == 0 || !pm_glibc_can_change(glibc) || heaps->count == 0)
		return false;

	for (size_t i = 0; i < heaps->count; i++)
		if (top >= heaps->items[i].start && top < heaps->items[i].end)
			return false;
	return true;
}

/**
 * Finds the heaps of an arena again, and walks over those that are new.
 * @param heaps  the heaps that were walked over; the new ones are added
 */
static int walk_new_heaps(struct pm_glibc *glibc, uint32_t arena, struct pm_glibc_heaps *heaps,
                          struct pm_heap_arena *found, struct pm_error *error)
{
	struct pm_glibc_heaps now = { 0 };
	int result = find_heaps(glibc, arena, &now, error);

	for (size_t i = 0; result == 0 && i < now.count; i++) {
		bool known = false;
		for (size_t k = 0; k < heaps->count; k++)
			known = known || heaps->items[k].start == now.items[i].start;
		if (known)
			continue;

		result = pm_array_reserve(&heaps->items, &heaps->capacity, heaps->count, 1,
		                          sizeof *heaps->items, error);
		if (result < 0)
			break;
		heaps->items[heaps->count] = now.items[i];
		found->system += pm_range_size(
			(struct pm_range){ now.items[i].start, now.items[i].end });
		found->heaps++;
		set_arena_range(glibc, arena, &now);
		result = pm_glibc_walk(glibc, arena, &heaps->items[heaps->count++], found, error);
	}

	free(now.items);
	return result;
}

/** Walks over the heaps of an arena. */
static int read_arena(struct pm_glibc *glibc, uint32_t arena, struct pm_error *error)
{
	struct pm_heap_arena *found = &glibc->heap->result.arenas[arena];
	struct pm_glibc_heaps heaps = { 0 };
	int result = find_heaps(glibc, arena, &heaps, error);

	const struct pm_glibc_arena *state = &glibc->arenas[arena];
	*found = (struct pm_heap_arena){
		.address = state->address,
		.main = arena == 0,
		.system = state->system,
		.attached = state->attached,
		.heaps = heaps.count,
		.complete = true,
	};

	/* The mapped parts of a main arena that is not contiguous are found later. */
	if (result == 0 && !heaps.complete && (arena != 0 || state->contiguous)) {
		found->complete = false;
		result = pm_glibc_damage(glibc, arena, state->address, 0,
		                         "the heaps that were found do not add up to the size of "
		                         "the arena",
		                         error);
	}
	set_arena_range(glibc, arena, &heaps);
	for (size_t i = 0; result == 0 && i < heaps.count; i++)
		result = pm_glibc_walk(glibc, arena, &heaps.items[i], found, error);
	for (int i = 0; result == 0 && i < TRIES && has_new_heap(glibc, arena, &heaps); i++)
		result = walk_new_heaps(glibc, arena, &heaps, found, error);

	free(heaps.items);
	return result;
}

/**
 * Checks whether all parts of a main arena that is not contiguous were found. Memory of other users
 * of sbrk(2) in between does not count towards system_mem.
 */
static int check_parts(struct pm_glibc *glibc, struct pm_error *error)
{
	struct pm_heap_arena *main = &glibc->heap->result.arenas[0];

	if (glibc->arenas[0].contiguous || main->in_use + main->free + main->top >= main->system ||
	    main->system - main->in_use - main->free - main->top < main->system / 64)
		return 0;

	main->complete = false;
	return pm_glibc_damage(glibc, 0, main->address, 0,
	                       "not all mapped parts of the main arena were found", error);
}

/**
 * Returns whether more mapped chunks were found than malloc has counted, or whether the counters of
 * malloc were not found.
 */
static bool may_have_false_chunks(const struct pm_heap *heap)
{
	return !heap->mapped_counted || heap->mapped_count > heap->mapped_count_counter ||
	       heap->mapped > heap->mapped_counter;
}

/** Sets the figures of mapped chunks according to mp_, and compares them. */
static int check_mapped(struct pm_glibc *glibc, struct pm_error *error)
{
	struct pm_heap *heap = &glibc->heap->result;

	for (int i = 0;; i++) {
		heap->mapped_counter = glibc->parameters.mapped;
		heap->mapped_count_counter = glibc->parameters.mapped_count;
		heap->mapped_counted = glibc->parameters.address != 0;
		heap->mapped_uncertain = may_have_false_chunks(heap);

		bool is_less = heap->mapped_counted && heap->mapped < heap->mapped_counter;
		if (!is_less && !heap->mapped_uncertain)
			return 0;
		if (!pm_glibc_can_change(glibc) || !heap->mapped_counted || i == TRIES)
			break;

		/* The target may have mapped or unmapped chunks since mp_ was read. */
		pm_heap_window_forget(glibc->heap->window);
		if (pm_glibc_find_parameters(glibc, error) < 0)
			return -1;
	}

	heap->mapped_missing = heap->mapped < heap->mapped_counter;
	if (!heap->mapped_missing)
		return 0;
	return pm_glibc_damage(glibc, 0, glibc->parameters.address, 0,
	                       "fewer mapped chunks were found than malloc has counted", error);
}

/** Reports heaps that are not in the index. */
static int check_index(struct pm_glibc *glibc, struct pm_error *error)
{
	const struct pm_heap_index *index = &glibc->heap->index;
	const char *why = "there are more chunks than procmem can count";

	if (index->removed == 0)
		return 0;
	if (index->overlaps > 0)
		why = "two heaps, or a heap and a mapped chunk, overlap";
	return pm_glibc_damage(glibc, 0, index->removed_at, 0, why, error);
}

/**
 * Reports arenas that have more chunks than memory. In a running process, the size of an arena can
 * be older than its chunks.
 */
static int check_sizes(struct pm_glibc *glibc, struct pm_error *error)
{
	const struct pm_heap *heap = &glibc->heap->result;

	for (uint32_t i = 0; i < heap->arena_count; i++) {
		struct pm_heap_arena *arena = &heap->arenas[i];

		if (arena->in_use + arena->cached + arena->free + arena->top <= arena->system)
			continue;
		arena->complete = false;
		if (pm_glibc_damage(glibc, i, arena->address, 0,
		                    "the chunks that were found exceed the size of the arena",
		                    error) < 0)
			return -1;
	}

	return 0;
}

/** Adds the figures of an arena to a sum. */
static void add_figures(struct pm_heap_arena *sum, const struct pm_heap_arena *arena)
{
	sum->system += arena->system;
	sum->in_use += arena->in_use;
	sum->cached += arena->cached;
	sum->free += arena->free;
	sum->top += arena->top;
	sum->overhead += arena->overhead;
	sum->trimmable += arena->trimmable;
	sum->chunks += arena->chunks;
	sum->cached_count += arena->cached_count;
	sum->free_count += arena->free_count;
	sum->fast += arena->fast;
	sum->fast_count += arena->fast_count;
	sum->attached += arena->attached;
	sum->heaps += arena->heaps;
	sum->complete = sum->complete && arena->complete;
}

/**
 * Returns whether most of an arena that is not complete was not read. Small arenas do not count:
 * their loss does not change the sums much.
 */
static bool is_lost(const struct pm_heap *heap, const struct pm_heap_arena *arena)
{
	uint64_t all = heap->total.system + heap->mapped;

	return !arena->complete && arena->overhead > arena->system / 2 &&
	       arena->overhead > all / 16;
}

/** Computes the overhead of each arena, and the sums. */
static void add_up(struct pm_glibc *glibc)
{
	struct pm_heap *heap = &glibc->heap->result;

	heap->total = (struct pm_heap_arena){ .complete = true };
	for (size_t i = 0; i < heap->arena_count; i++) {
		struct pm_heap_arena *arena = &heap->arenas[i];
		uint64_t known = arena->in_use + arena->cached + arena->free + arena->top;

		arena->overhead = arena->system - pm_min(known, arena->system);
		add_figures(&heap->total, arena);
	}

	heap->complete = heap->total.complete && !glibc->incomplete;
	for (size_t i = 0; pm_glibc_can_change(glibc) && i < heap->arena_count; i++)
		heap->lost = heap->lost || is_lost(heap, &heap->arenas[i]);
}

/** Returns the versions of glibc that have the structures that were found. */
static const char *version_of(const struct pm_glibc *glibc)
{
	bool has_parameters = glibc->parameters.address != 0;

	if (glibc->layout != pm_glibc_layout(0))
		return glibc->layout->version;
	if (glibc->tcache_size == 0x300)
		return "2.42";
	if (glibc->parameters.has_huge_pages)
		return glibc->tcache_size == 0x290 ? "2.35-2.41" : "2.35-2.42";
	if (glibc->tcache_size == 0x250)
		return "2.27-2.29";
	if (glibc->links == PM_GLIBC_LINKS_SAFE)
		return has_parameters ? "2.32-2.34" : "2.32-2.42";
	if (glibc->links == PM_GLIBC_LINKS_PLAIN)
		return glibc->tcache_size == 0x290 ? "2.30-2.31" : "2.27-2.31";
	return has_parameters ? "2.27-2.34" : "2.27-2.42";
}

/** Sets the names of what was found, except the version. */
static void describe(struct pm_glibc *glibc)
{
	struct pm_heap *heap = &glibc->heap->result;
	const char *file = glibc->file ? strrchr(glibc->file, '/') : NULL;

	heap->allocator = PM_HEAP_ALLOCATOR_GLIBC;
	if (glibc->count == 0) {
		snprintf(heap->proof, sizeof heap->proof,
		         "malloc_state found by its structure; it is not initialised");
		return;
	}
	const char *counters = glibc->parameters.address ? ", with the counters of malloc" : "";
	snprintf(heap->proof, sizeof heap->proof,
	         "main arena at %" PRIx64 " in %.60s, found by its structure%s",
	         glibc->arenas[0].address, file ? file + 1 : "memory", counters);
}

/** Sets the version: the one that the text of libc names or, if this text was not found or does not
 * fit the structures, the range of possible versions. */
static void set_version(struct pm_glibc *glibc)
{
	struct pm_heap *heap = &glibc->heap->result;
	const char *range = version_of(glibc);

	if (pm_glibc_version_is_in(range, glibc->minor))
		snprintf(heap->version, sizeof heap->version, "2.%d", glibc->minor);
	else
		snprintf(heap->version, sizeof heap->version, "%s", range);
}

/** Returns whether the arenas have no memory. Then all chunks are mapped ones. */
static bool is_idle(const struct pm_glibc *glibc)
{
	return glibc->count == 0 || (glibc->count == 1 && glibc->arenas[0].system == 0);
}

/** Returns whether malloc was never called, according to its own counters. */
static bool is_unused(const struct pm_glibc *glibc)
{
	bool counted = glibc->count == 0 || glibc->parameters.address != 0;

	return is_idle(glibc) && counted && glibc->parameters.mapped_count == 0;
}

/** Reports that malloc was never called. */
static void set_unused(struct pm_heap *heap)
{
	free(heap->arenas);
	heap->arenas = NULL;
	heap->arena_count = 0;
	heap->total = (struct pm_heap_arena){ 0 };
	heap->unused = true;
	heap->complete = true;
	heap->break_count = 0;
	heap->breaks_total = 0;
}

/** Notes another copy of libc. */
static int find_copy(struct pm_glibc *glibc, struct pm_error *error)
{
	int found = pm_glibc_find_copy(glibc, error);
	if (found > 0)
		glibc->heap->result.other = PM_HEAP_ALLOCATOR_GLIBC;
	return found < 0 ? -1 : 0;
}

/** Reads the arenas and the mapped chunks. */
static int read_chunks(struct pm_glibc *glibc, struct pm_error *error)
{
	struct pm_heap_handle *handle = glibc->heap;
	struct pm_heap *heap = &handle->result;

	heap->arenas = calloc(glibc->count, sizeof *heap->arenas);
	if (!heap->arenas)
		return pm_error_out_of_memory(error);
	heap->arena_count = glibc->count;

	/* Links are stored safely since 2.32; the parameters for huge pages exist since 2.35. */
	if (glibc->layout == pm_glibc_layout(2))
		glibc->links = PM_GLIBC_LINKS_PLAIN;
	else if (glibc->layout->fastbins == 0 || glibc->parameters.has_huge_pages)
		glibc->links = PM_GLIBC_LINKS_SAFE;

	if (pm_glibc_version_find(glibc, error) < 0)
		return -1;
	for (uint32_t i = 0; i < glibc->count; i++)
		if (read_arena(glibc, i, error) < 0)
			return -1;

	set_arena_range(glibc, 0, &(struct pm_glibc_heaps){ 0 });
	if (pm_glibc_mapped_find(glibc, &heap->arenas[0], error) < 0 ||
	    check_parts(glibc, error) < 0 || check_mapped(glibc, error) < 0 ||
	    pm_heap_index_finish(&handle->index, error) < 0 || check_index(glibc, error) < 0 ||
	    check_sizes(glibc, error) < 0)
		return -1;
	return pm_glibc_cached_read(glibc, error);
}

int pm_heap_glibc(struct pm_heap_handle *heap, struct pm_error *error)
{
	struct pm_glibc glibc = {
		.heap = heap,
		.page = (uint64_t)sysconf(_SC_PAGESIZE),
		.repair_work = PM_GLIBC_REPAIR_WORK,
		.slow_tests = PM_GLIBC_SLOW_TESTS,
		.state_reads = PM_GLIBC_STATE_READS,
		.growth = PM_GLIBC_GROWTH,
	};

	heap->index.header = 16;
	heap->index.overlap = 8;
	int found = pm_glibc_find(&glibc, error);

	bool unused = found > 0 && is_unused(&glibc);
	if (found > 0 && !unused) {
		if (read_chunks(&glibc, error) < 0 || find_copy(&glibc, error) < 0)
			found = -1;
		add_up(&glibc);
		/* Without the counters, only the mapped chunks themselves show use. */
		unused = found > 0 && is_idle(&glibc) && glibc.parameters.address == 0 &&
		         heap->result.mapped_count == 0;
	}
	if (found > 0) {
		describe(&glibc);
		set_version(&glibc);
	}

	/* Another allocator can be in use. */
	if (unused) {
		set_unused(&heap->result);
		found = 0;
	}

	pm_glibc_deinit(&glibc);
	return found;
}
