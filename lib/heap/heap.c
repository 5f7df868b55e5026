/* SPDX-License-Identifier: MIT */
/* Opens a heap: asks each allocator whether its structures are in the target, and delegates
 * everything about chunks to the index. */
#include "heap/heap.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/words.h"
#include "heap/chunk_heads.h"
#include "heap/glibc.h"
#include "heap/glibc_chain.h"
#include "heap/grown.h"
#include "heap/jemalloc.h"
#include "heap/jemalloc_find.h"
#include "heap/linked.h"

/* Maximum number of walks over a running heap. A walk that has missed most of it is repeated. */
enum { OPEN_TRIES = 3 };

/** An allocator of which only the name is known, and the start of the name of its library. */
struct named {
	enum pm_heap_allocator allocator;
	const char *library;
};

static const struct named named_allocators[] = {
	{ PM_HEAP_ALLOCATOR_JEMALLOC, "libjemalloc" },
	{ PM_HEAP_ALLOCATOR_TCMALLOC, "libtcmalloc" },
	{ PM_HEAP_ALLOCATOR_MIMALLOC, "libmimalloc" },
	{ PM_HEAP_ALLOCATOR_MUSL, "ld-musl-" },
	{ PM_HEAP_ALLOCATOR_MUSL, "libc.musl-" },
};

/**
 * Finds the library of an allocator by its name.
 * @param region  receives its first region; may be NULL
 * @return        PM_HEAP_ALLOCATOR_UNKNOWN if there is none
 */
static enum pm_heap_allocator find_by_name(const struct pm_regions *regions,
                                           const struct pm_region **region)
{
	for (size_t i = 0; i < sizeof named_allocators / sizeof named_allocators[0]; i++) {
		const struct named *named = &named_allocators[i];

		for (size_t r = 0; r < regions->count; r++) {
			const char *slash = strrchr(regions->items[r].mapping, '/');
			size_t length = strlen(named->library);
			if (!slash || strncmp(slash + 1, named->library, length) != 0)
				continue;

			if (region)
				*region = &regions->items[r];
			return named->allocator;
		}
	}

	return PM_HEAP_ALLOCATOR_UNKNOWN;
}

/** Sets the allocator by the names of the mapped libraries, or by the symbols of the program. */
static void set_by_name(struct pm_heap_handle *heap)
{
	struct pm_heap *result = &heap->result;
	const struct pm_region *region;

	result->allocator = find_by_name(heap->source.regions, &region);
	if (result->allocator != PM_HEAP_ALLOCATOR_UNKNOWN) {
		snprintf(result->proof, sizeof result->proof, "%.128s is mapped", region->mapping);
		return;
	}

	result->allocator = heap->source.linked;
	if (result->allocator != PM_HEAP_ALLOCATOR_UNKNOWN)
		snprintf(result->proof, sizeof result->proof, "the program defines its functions");
}

/** Releases what an allocator has filled. */
static void release(struct pm_heap_handle *heap)
{
	pm_heap_index_deinit(&heap->index);
	free(heap->result.arenas);
	free(heap->result.breaks);
	free(heap->own);
	free(heap->unused);
	free(heap->keyed);
	heap->result = (struct pm_heap){ 0 };
}

/** Returns the number of bytes that the program has allocated. */
static uint64_t allocated(const struct pm_heap *heap)
{
	return heap->total.in_use + heap->mapped;
}

/**
 * Searches jemalloc, too. A program can use both, such as a program in Rust with jemalloc that
 * calls C libraries: then the heap is that of the allocator with more allocated bytes.
 */
static int find_second(struct pm_heap_handle *heap, struct pm_error *error)
{
	struct pm_heap_handle second = { .source = heap->source,
		                         .grown = heap->grown,
		                         .window = heap->window };
	int found = pm_heap_jemalloc(&second, error);
	if (found <= 0) {
		release(&second);
		return found;
	}

	if (allocated(&second.result) > allocated(&heap->result)) {
		struct pm_heap_handle first = *heap;

		*heap = second;
		second = first;
	}

	heap->result.other = second.result.allocator;
	heap->result.other_known = true;
	heap->result.other_in_use = allocated(&second.result);
	release(&second);
	return 1;
}

/** Searches other allocators beside malloc of glibc. */
static int find_others(struct pm_heap_handle *heap, struct pm_error *error)
{
	int found = find_second(heap, error);
	if (found < 0)
		return -1;

	/* Of other allocators, and of other copies of glibc, the chunks are not known. */
	if (found == 0 && heap->result.other == PM_HEAP_ALLOCATOR_UNKNOWN)
		heap->result.other = find_by_name(heap->source.regions, NULL);
	if (found == 0 && heap->result.other == PM_HEAP_ALLOCATOR_UNKNOWN)
		heap->result.other = heap->source.linked;
	return 0;
}

static int find_allocator(struct pm_heap_handle *heap, struct pm_error *error)
{
	int found = pm_heap_glibc(heap, error);
	if (found < 0)
		return -1;
	if (found > 0 && !heap->result.unused)
		return find_others(heap, error);

	/* A program that uses another allocator usually has glibc's malloc, too. */
	const struct pm_heap unused = heap->result;

	heap->result = (struct pm_heap){ 0 };
	found = pm_heap_jemalloc(heap, error);
	if (found == 0)
		set_by_name(heap);
	if (found == 0 && heap->result.allocator == PM_HEAP_ALLOCATOR_UNKNOWN) {
		heap->result = unused;
		return 0;
	}

	free(unused.arenas);
	free(unused.breaks);
	return found < 0 ? -1 : 0;
}

enum pm_heap_allocator pm_heap_find_linked(struct pm_process *process)
{
	/* The symbols of a large program are read in 0.1 s. The limit is for hostile files. */
	return pm_linked_find(process, pm_clock_ns(CLOCK_MONOTONIC) + PM_NS_PER_SECOND);
}

static int by_address(const void *a, const void *b)
{
	const struct pm_heap_arena *one = *(struct pm_heap_arena *const *)a;
	const struct pm_heap_arena *other = *(struct pm_heap_arena *const *)b;
	return (one->address > other->address) - (one->address < other->address);
}

/** Numbers the arenas by address. Those of jemalloc have no address, and keep their order. */
static int number_arenas(struct pm_heap *heap, struct pm_error *error)
{
	struct pm_heap_arena **sorted = calloc(heap->arena_count + 1, sizeof(void *));
	if (!sorted)
		return pm_error_out_of_memory(error);

	size_t count = 0;
	for (size_t i = 0; i < heap->arena_count; i++) {
		heap->arenas[i].number = (uint32_t)i;
		if (!heap->arenas[i].main)
			sorted[count++] = &heap->arenas[i];
	}

	if (heap->allocator == PM_HEAP_ALLOCATOR_GLIBC) {
		qsort(sorted, count, sizeof(struct pm_heap_arena *), by_address);
		for (size_t i = 0; i < count; i++)
			sorted[i]->number = (uint32_t)i + 1;
	}

	free(sorted);
	return 0;
}

/** Returns whether all regions are below 4 GiB. The stack of a 64-bit process is above. */
static bool is_narrow(const struct pm_regions *regions)
{
	for (size_t i = 0; i < regions->count; i++) {
		if (regions->items[i].end > UINT64_C(1) << 32)
			return false;
	}
	return regions->count > 0;
}

/** Finds the allocator and all chunks, once. */
static int open_once(const struct pm_heap_source *source, struct pm_heap **heap,
                     struct pm_error *error)
{
	struct pm_heap_handle *made = calloc(1, sizeof *made);
	uint64_t began = pm_clock_ns(CLOCK_MONOTONIC);
	if (!made)
		return pm_error_out_of_memory(error);

	made->source = *source;
	made->result.narrow = is_narrow(source->regions);
	if (pm_heap_window_open(&made->source, &made->window, error) < 0 ||
	    find_allocator(made, error) < 0 || pm_heap_index_finish(&made->index, error) < 0 ||
	    number_arenas(&made->result, error) < 0) {
		pm_heap_close(&made->result);
		return -1;
	}

	made->result.chunk_count = made->index.chunks;
	made->opened_ns = began + (pm_clock_ns(CLOCK_MONOTONIC) - began) / 2;
	if (made->index.removed > 0)
		made->result.complete = made->result.total.complete = false;
	*heap = &made->result;
	return 0;
}

int pm_heap_open(const struct pm_heap_source *source, struct pm_heap **heap, struct pm_error *error)
{
	for (int i = 1;; i++) {
		if (open_once(source, heap, error) < 0)
			return -1;
		if (!(*heap)->lost || i == OPEN_TRIES)
			return 0;
		pm_heap_close(*heap);
	}
}

int pm_heap_find_hint(const struct pm_heap_source *source, struct pm_heap_hint *hint,
                      struct pm_error *error)
{
	struct pm_heap_handle handle = { .source = *source };
	struct pm_jemalloc_tree tree;

	*hint = (struct pm_heap_hint){ 0 };
	handle.source.hint = *hint;
	if (pm_heap_window_open(&handle.source, &handle.window, error) < 0)
		return -1;

	int found = pm_jemalloc_find(&handle, &tree, error);
	pm_heap_window_close(handle.window);
	if (found < 0)
		return -1;

	hint->searched = true;
	if (found > 0)
		hint->jemalloc_entry = tree.entry;
	return 0;
}

void pm_heap_close(struct pm_heap *heap)
{
	if (!heap)
		return;

	struct pm_heap_handle *handle = pm_heap_handle(heap);

	pm_heap_window_close(handle->window);
	pm_heap_index_deinit(&handle->index);
	free(heap->arenas);
	free(heap->breaks);
	free(handle->own);
	free(handle->unused);
	free(handle->keyed);
	pm_heap_grown_free(handle->grown);
	free(handle);
}

bool pm_heap_find(const struct pm_heap *heap, uint64_t address, struct pm_chunk *chunk)
{
	return pm_heap_index_find(pm_heap_index_of(heap), address, chunk);
}

void pm_heap_chunk(const struct pm_heap *heap, uint32_t number, struct pm_chunk *chunk)
{
	pm_heap_index_chunk(pm_heap_index_of(heap), number, chunk);
}

bool pm_heap_in_fastbin(const struct pm_heap *heap, const struct pm_chunk *chunk)
{
	const struct pm_heap_handle *handle = pm_heap_const_handle(heap);

	if (heap->allocator != PM_HEAP_ALLOCATOR_GLIBC || heap->total.fast == 0 ||
	    chunk->state != PM_CHUNK_CACHED || chunk->size > PM_GLIBC_FAST_MAX)
		return false;

	return handle->keyed_count == 0 ||
	       !bsearch(&chunk->address, handle->keyed, handle->keyed_count, sizeof *handle->keyed,
	                pm_compare_words);
}

/** Reads the first bytes of chunks, and visits them. */
static int read_heads(struct pm_heap_handle *handle, struct pm_chunk_heads *heads, unsigned states,
                      pm_chunk_visitor *visit, void *context, struct pm_error *error)
{
	pm_heap_window_forget(handle->window);

	int result = pm_chunk_heads_next(heads, states, error);
	while (result > 0) {
		result = pm_chunk_heads_visit(heads, visit, context, error);
		if (result != 0)
			break;
		result = pm_chunk_heads_next(heads, states, error);
	}
	return result;
}

int pm_heap_read_chunks(struct pm_heap *heap, unsigned states, pm_chunk_visitor *visit,
                        void *context, struct pm_error *error)
{
	struct pm_heap_handle *handle = pm_heap_handle(heap);
	struct pm_chunk_heads *heads = pm_chunk_heads_create(handle, error);
	if (!heads)
		return -1;

	int result = read_heads(handle, heads, states, visit, context, error);
	pm_chunk_heads_destroy(heads);
	return result;
}

int pm_heap_read_picked(struct pm_heap *heap, const struct pm_chunk *chunks, size_t count,
                        pm_chunk_visitor *visit, void *context, struct pm_error *error)
{
	struct pm_heap_handle *handle = pm_heap_handle(heap);
	struct pm_chunk_heads *heads = pm_chunk_heads_create(handle, error);
	if (!heads)
		return -1;

	pm_chunk_heads_pick(heads, chunks, count);
	int result = read_heads(handle, heads, UINT_MAX, visit, context, error);
	pm_chunk_heads_destroy(heads);
	return result;
}

const char *pm_chunk_state_name(enum pm_chunk_state state)
{
	static const char *const names[] = {
		[PM_CHUNK_IN_USE] = "in_use",
		[PM_CHUNK_CACHED] = "cached",
		[PM_CHUNK_FREE] = "free",
		[PM_CHUNK_TOP] = "top",
	};

	return names[state];
}

const char *pm_heap_allocator_name(enum pm_heap_allocator allocator)
{
	static const char *const names[] = {
		[PM_HEAP_ALLOCATOR_UNKNOWN] = "unknown",
		[PM_HEAP_ALLOCATOR_GLIBC] = "glibc",
		[PM_HEAP_ALLOCATOR_JEMALLOC] = "jemalloc",
		[PM_HEAP_ALLOCATOR_TCMALLOC] = "tcmalloc",
		[PM_HEAP_ALLOCATOR_MIMALLOC] = "mimalloc",
		[PM_HEAP_ALLOCATOR_MUSL] = "musl",
		[PM_HEAP_ALLOCATOR_GO] = "Go",
	};

	return names[allocator];
}
