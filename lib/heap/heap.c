/* SPDX-License-Identifier: MIT */
/* Opens a heap: asks each allocator whether its structures are in the target, and delegates
 * everything about chunks to the index. */
#include "heap/heap.h"

#include <stdlib.h>

#include "base/array.h"
#include "heap/chunk_heads.h"
#include "heap/glibc.h"
#include "heap/jemalloc.h"

static int find_allocator(struct pm_heap_handle *heap, struct pm_error *error)
{
	int found = pm_heap_glibc(heap, error);
	if (found == 0)
		found = pm_heap_jemalloc(heap, error);
	if (found < 0)
		return -1;

	if (pm_heap_index_finish(&heap->index, error) < 0)
		return -1;

	heap->public.chunk_count = heap->index.chunks;
	return 0;
}

int pm_heap_open(const struct pm_heap_source *source, struct pm_heap **heap, struct pm_error *error)
{
	struct pm_heap_handle *made = calloc(1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);

	made->source = *source;
	if (pm_heap_window_open(&made->source, &made->window, error) < 0 ||
	    find_allocator(made, error) < 0) {
		pm_heap_close(&made->public);
		return -1;
	}

	*heap = &made->public;
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

int pm_heap_read_chunks(struct pm_heap *heap, unsigned states, pm_chunk_visitor *visit,
                        void *context, struct pm_error *error)
{
	struct pm_heap_handle *handle = pm_heap_handle(heap);
	struct pm_chunk_heads *heads = pm_chunk_heads_create(handle, error);
	if (!heads)
		return -1;

	pm_heap_window_forget(handle->window);

	int result = pm_chunk_heads_next(heads, states, error);
	while (result > 0) {
		result = pm_chunk_heads_visit(heads, visit, context, error);
		if (result != 0)
			break;
		result = pm_chunk_heads_next(heads, states, error);
	}

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
	};

	return names[allocator];
}
