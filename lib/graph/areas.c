/* SPDX-License-Identifier: MIT */
#include "graph/areas.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"
#include "base/range.h"
#include "base/search.h"

/*
 * Sizes in bytes. Functions may use 128 bytes below the stack pointer (System V ABI for x86-64).
 * The thread descriptor of glibc has at most 0x900 bytes, and up to 4 KiB are between its end and
 * the end of the stack, depending on the alignment of thread-local data. The libraries that are
 * loaded with the program have some thread-local data below those of the program. A guard below a
 * stack has less than 1 MiB.
 */
enum {
	RED_ZONE = 128,
	DESCRIPTOR = 0x900,
	DESCRIPTOR_GAP = 4096,
	GUARD_MAX = 1 << 20,
};

/* Size in bytes of malloc_state of glibc, rounded up. */
enum { ARENA_SIZE = 0x8a0 };

/** The search for the areas of all threads. */
struct search {
	struct pm_graph *graph;
	struct pm_thread_areas *areas;
	uint64_t *used; /* stack pointers and descriptors of all threads, by ascending address */
	size_t used_count;
	struct pm_error *error;
};

static int add_area(struct pm_thread_areas *areas, struct pm_thread_area area,
                    struct pm_error *error)
{
	if (area.range.start >= area.range.end)
		return 0;
	if (pm_array_reserve(&areas->items, &areas->capacity, areas->count, 1, sizeof *areas->items,
	                     error) < 0)
		return -1;

	areas->items[areas->count++] = area;
	return 0;
}

/** Returns the index of the first guard range that ends after an address. */
static size_t guard_after(const struct pm_range *guards, size_t count, uint64_t address)
{
	return pm_first_above(guards, count, sizeof *guards, offsetof(struct pm_range, end),
	                      address);
}

/** Returns the end of the stack that contains a stack pointer: the end of the region, or the next
 * guard. */
static uint64_t stack_top(const struct pm_graph *graph, const struct pm_region *region,
                          uint64_t pointer)
{
	size_t count;
	const struct pm_range *guards = pm_copy_guards(graph->copy, &count);
	size_t next = guard_after(guards, count, pointer);

	return next < count ? pm_min(guards[next].start, region->end) : region->end;
}

/** Returns whether there is inaccessible memory directly below a region, as below a stack. */
static bool is_guarded(const struct pm_graph *graph, const struct pm_region *region)
{
	const struct pm_regions *regions = pm_copy_regions(graph->copy);
	const struct pm_region *below = region > regions->items ? region - 1 : NULL;

	return below && below->end == region->start && (below->perms & 7) == 0 &&
	       pm_region_size(below) < GUARD_MAX;
}

/**
 * Returns the lowest address of the stack of a thread as glibc has noted it in the descriptor of
 * the thread: `stackblock`, followed by `stackblock_size` (struct pthread of nptl/descr.h). The
 * position of these members depends on the version. The descriptor is at the top of the stack.
 * @return 0 if no two words can be these members
 */
static uint64_t noted_bottom(const struct pm_graph *graph, const struct pm_copy_thread *thread)
{
	uint64_t descriptor = thread->thread_pointer;
	const uint64_t *words = pm_copy_bytes(graph->copy, descriptor, DESCRIPTOR);
	const struct pm_regions *regions = pm_copy_regions(graph->copy);
	uint64_t lowest = regions->count > 0 ? regions->items[0].start : 0;
	if (!words || descriptor % sizeof *words != 0)
		return 0;

	for (size_t i = 0; i + 1 < DESCRIPTOR / sizeof *words; i++) {
		uint64_t start = words[i], end = start + words[i + 1];
		bool fits = start < thread->stack_pointer && end > descriptor &&
		            end - descriptor <= DESCRIPTOR + DESCRIPTOR_GAP;
		/* The thread ID and the word after it can also add up to this. But the thread ID is
		 * too low to be an address. */
		if (fits && start >= lowest)
			return start;
	}

	return 0;
}

/**
 * Finds the lowest address of the stack of a thread. glibc has the descriptor of a thread at the
 * top of the thread's stack. If it is not there, the program has switched to a stack of its own,
 * as for a coroutine, and the memory below can contain the stacks of other coroutines. If the
 * program has provided the stack, the memory below can contain other data.
 * @return 0 if it is not certain that everything from there on is the stack
 */
static uint64_t stack_bottom(const struct pm_graph *graph, const struct pm_region *region,
                             const struct pm_copy_thread *thread)
{
	uint64_t pointer = thread->stack_pointer, descriptor = thread->thread_pointer;
	size_t count;
	const struct pm_range *guards = pm_copy_guards(graph->copy, &count);
	size_t next = guard_after(guards, count, pointer);

	if (strcmp(region->mapping, "[stack]") == 0)
		return region->start;
	if (descriptor < pointer || descriptor >= stack_top(graph, region, pointer))
		return 0;

	uint64_t noted = noted_bottom(graph, thread);
	if (noted == 0)
		return 0;
	if (next > 0 && guards[next - 1].end > region->start)
		return pm_max(noted, guards[next - 1].end);

	return is_guarded(graph, region) ? pm_max(noted, region->start) : 0;
}

static int by_address(const void *a, const void *b)
{
	const uint64_t *one = a, *other = b;
	return (*one > *other) - (*one < *other);
}

/** Lists the stack pointers and the descriptors of all threads. */
static int list_used(struct search *search)
{
	size_t count;
	const struct pm_copy_thread *threads = pm_copy_threads(search->graph->copy, &count);

	search->used = calloc(2 * count + 1, sizeof *search->used);
	if (!search->used)
		return pm_error_out_of_memory(search->error);

	for (size_t i = 0; i < count; i++) {
		search->used[search->used_count++] = threads[i].stack_pointer;
		search->used[search->used_count++] = threads[i].thread_pointer;
	}

	qsort(search->used, search->used_count, sizeof *search->used, by_address);
	return 0;
}

/** Returns whether a thread has its stack pointer or its descriptor in a range. */
static bool is_used(const struct search *search, struct pm_range range)
{
	size_t next = pm_first_above(search->used, search->used_count, sizeof *search->used, 0,
	                             range.start - 1);
	return next < search->used_count && search->used[next] < range.end;
}

/** Adds the stack of a thread, and the part of it that is not used. */
static int add_stack(struct search *search, size_t index)
{
	struct pm_graph *graph = search->graph;
	size_t count;
	const struct pm_copy_thread *thread = &pm_copy_threads(graph->copy, &count)[index];
	uint64_t pointer = thread->stack_pointer;
	const struct pm_region *region = pm_regions_find(pm_copy_regions(graph->copy), pointer);

	/* A stack in a chunk of malloc is not outside of malloc. */
	if (pointer == 0 || !region || !(region->perms & PM_PERM_WRITE) ||
	    pm_heap_index_find(graph->index, pointer, NULL))
		return 0;

	uint64_t low = pm_max(region->start, (pointer - RED_ZONE) & ~UINT64_C(7));
	struct pm_range unused = { stack_bottom(graph, region, thread), low };
	struct pm_range stack = { low, stack_top(graph, region, pointer) };

	if (unused.start != 0 && unused.start < low && !is_used(search, unused) &&
	    pm_range_list_add(&graph->unused, unused, search->error) < 0)
		return -1;
	if (thread->thread_pointer > pointer)
		stack.end = pm_min(stack.end, thread->thread_pointer + DESCRIPTOR);

	return add_area(search->areas, (struct pm_thread_area){ .range = stack, .thread = index },
	                search->error);
}

/**
 * Adds the thread-local data of a thread.
 * @param size  number of bytes below the thread pointer
 */
static int add_local(struct search *search, size_t index, uint64_t size)
{
	struct pm_graph *graph = search->graph;
	size_t count;
	uint64_t pointer = pm_copy_threads(graph->copy, &count)[index].thread_pointer;
	const struct pm_region *region = pm_regions_find(pm_copy_regions(graph->copy), pointer);
	if (pointer == 0 || !region || pointer < size)
		return 0;

	struct pm_range range = { pointer - size, pointer + DESCRIPTOR };
	struct pm_thread_area area = { .range = pm_range_clip(range, pm_region_bounds(region)),
		                       .thread = index,
		                       .local = true,
		                       .pointer = pointer };

	return add_area(search->areas, area, search->error);
}

static int by_start(const void *a, const void *b)
{
	const struct pm_thread_area *one = a, *other = b;
	return (one->range.start > other->range.start) - (one->range.start < other->range.start);
}

/** Sorts areas, and ends each area where the next one starts. */
static void sort_areas(struct pm_thread_areas *areas)
{
	if (areas->count == 0)
		return;

	qsort(areas->items, areas->count, sizeof *areas->items, by_start);
	for (size_t i = 0; i + 1 < areas->count; i++)
		areas->items[i].range.end = pm_min(areas->items[i].range.end,
		                                   areas->items[i + 1].range.start);
}

int pm_thread_areas_find(struct pm_graph *graph, struct pm_thread_areas *areas,
                         struct pm_error *error)
{
	struct search search = { .graph = graph, .areas = areas, .error = error };
	struct pm_thread_local_sizes sizes = { 0 };
	size_t count;

	if (graph->symbols && pm_symbols_thread_local_sizes(graph->symbols, &sizes, error) < 0)
		return -1;

	pm_copy_threads(graph->copy, &count);
	int result = list_used(&search);
	for (size_t i = 0; result == 0 && i < count; i++) {
		result = add_stack(&search, i);
		if (result == 0)
			result = add_local(&search, i, sizes.program + sizes.libraries);
	}

	free(search.used);
	sort_areas(areas);
	return result;
}

/** Returns the index of the first area that starts above an address. */
static size_t area_above(const struct pm_thread_areas *areas, uint64_t address)
{
	return pm_first_above(areas->items, areas->count, sizeof *areas->items,
	                      offsetof(struct pm_thread_area, range.start), address);
}

const struct pm_thread_area *pm_thread_areas_at(const struct pm_thread_areas *areas,
                                                uint64_t address)
{
	size_t next = area_above(areas, address);
	if (next == 0 || !pm_range_contains(areas->items[next - 1].range, address))
		return NULL;
	return &areas->items[next - 1];
}

uint64_t pm_thread_areas_next(const struct pm_thread_areas *areas, uint64_t address)
{
	size_t next = area_above(areas, address);
	return next < areas->count ? areas->items[next].range.start : UINT64_MAX;
}

/** Adds the ranges of all chunks, whatever their states are. */
static int add_chunks(const struct pm_graph *graph, struct pm_range_list *list,
                      struct pm_error *error)
{
	for (uint32_t i = 0; i < graph->node_count; i++) {
		struct pm_range range = pm_graph_extent(graph, i);
		if (i % 65536 == 0 && pm_check_cancel(graph->options.cancel, error) < 0)
			return -1;
		if (pm_range_list_add(list, range, error) < 0)
			return -1;
	}

	return 0;
}

/** Adds the structures of the allocator. They are not searched, because they point to chunks in any
 * state. */
static int add_arenas(const struct pm_graph *graph, struct pm_range_list *list,
                      struct pm_error *error)
{
	const struct pm_heap *heap = graph->heap;
	const struct pm_heap_handle *handle = pm_heap_const_handle(heap);

	for (size_t i = 0; i < handle->own_count; i++)
		if (pm_range_list_add(list, handle->own[i], error) < 0)
			return -1;
	if (heap->allocator != PM_HEAP_ALLOCATOR_GLIBC)
		return 0;

	for (size_t i = 0; i < heap->arena_count; i++) {
		uint64_t address = heap->arenas[i].address;
		struct pm_range range = { address, address + ARENA_SIZE };
		if (address < UINT64_MAX - ARENA_SIZE && pm_range_list_add(list, range, error) < 0)
			return -1;
	}

	return 0;
}

/** Adds the parts of a range that are in none of the excluded ranges. */
static int add_rest(struct pm_range_list *memory, struct pm_range range,
                    const struct pm_range_list *excluded, size_t *next, struct pm_error *error)
{
	while (*next < excluded->count && excluded->items[*next].end <= range.start)
		++*next;

	for (size_t i = *next; i < excluded->count && excluded->items[i].start < range.end; i++) {
		struct pm_range before = { range.start, excluded->items[i].start };
		if (before.start < before.end && pm_range_list_add(memory, before, error) < 0)
			return -1;
		range.start = pm_max(range.start, excluded->items[i].end);
	}

	if (range.start >= range.end)
		return 0;
	return pm_range_list_add(memory, range, error);
}

/** Sorts ranges, and joins those that overlap. */
static void join_ranges(struct pm_range_list *list)
{
	size_t kept = 0;
	if (list->count > 0)
		qsort(list->items, list->count, sizeof *list->items, pm_range_compare);

	for (size_t i = 0; i < list->count; i++) {
		struct pm_range *last = kept > 0 ? &list->items[kept - 1] : NULL;
		if (last && list->items[i].start <= last->end)
			last->end = pm_max(last->end, list->items[i].end);
		else
			list->items[kept++] = list->items[i];
	}

	list->count = kept;
}

int pm_root_memory_find(struct pm_graph *graph, struct pm_error *error)
{
	const struct pm_range_list *unused = &graph->unused;
	struct pm_range_list excluded = { 0 };
	size_t count, next = 0;
	const struct pm_range *copied = pm_copy_ranges(graph->copy, &count);
	int result = add_chunks(graph, &excluded, error);

	if (result == 0)
		result = add_arenas(graph, &excluded, error);
	for (size_t i = 0; result == 0 && i < unused->count; i++)
		result = pm_range_list_add(&excluded, unused->items[i], error);

	join_ranges(&excluded);
	for (size_t i = 0; result == 0 && i < count; i++)
		result = add_rest(&graph->memory, copied[i], &excluded, &next, error);

	free(excluded.items);
	return result;
}
