/* SPDX-License-Identifier: MIT */
/*
 * The numbers are those of sys._debugmallocstats(). A pool is read as a whole. If its list of free
 * blocks does not agree with its header, the process has used the pool at that moment, and the pool
 * is read again.
 */
#include "runtimes/python_pools.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"

enum { PAGE = 4096, ALIGNMENT = 16, ATTEMPTS_MAX = 3 };

/** The read of all pools. */
struct walk {
	struct pm_runtimes_context *context;
	const struct pm_python_layout *layout;
	struct pm_python_heap *heap;
	struct pm_python_pool_view *view;
	pm_python_pool_visit *visit;
	void *closure;
};

/** Reads the bytes of a pool. Returns false if the header cannot be read. */
static bool read_bytes(struct walk *walk, uint64_t address, uint64_t arena_end)
{
	struct pm_python_pool_view *view = walk->view;
	const uint64_t size = walk->layout->pool_size;
	uint64_t done = 0;

	memset(view->bytes, 0, (size_t)size);
	while (done < size) {
		const void *bytes;
		uint64_t got = pm_runtime_read_ahead(walk->context, address + done, arena_end,
		                                     &bytes);

		got = pm_min(got, size - done);
		if (got == 0 && done == 0)
			return false;
		if (got > 0)
			memcpy(view->bytes + done, bytes, (size_t)got);
		done += got > 0 ? got : PAGE - (address + done) % PAGE;
	}

	view->address = address;
	memcpy(&view->pool, view->bytes, sizeof view->pool);
	return true;
}

/** Follows the list of free blocks. Returns whether it agrees with the header. */
static bool follow_free(struct pm_python_pool_view *view)
{
	const struct pm_python_pool *pool = &view->pool;
	uint64_t at = pool->free;
	uint32_t count = 0;

	view->size = (pool->class + 1) * ALIGNMENT;
	view->blocks = (pool->next_offset - PM_PYTHON_POOL_HEADER) / view->size;
	memset(view->is_free, 0, sizeof view->is_free);

	while (at != 0) {
		uint64_t offset = at - view->address - PM_PYTHON_POOL_HEADER;
		uint64_t index = offset / view->size;

		if (at < view->address + PM_PYTHON_POOL_HEADER || offset % view->size != 0 ||
		    index >= view->blocks || view->is_free[index])
			return false;
		view->is_free[index] = true;
		count++;
		memcpy(&at, view->bytes + PM_PYTHON_POOL_HEADER + offset, sizeof at);
	}

	return pool->used <= view->blocks && count == view->blocks - pool->used;
}

/** Reads a pool, again if the process changes it. Returns false if its header is not valid. */
static bool read_pool(struct walk *walk, const struct pm_python_arena *arena, uint64_t address)
{
	const uint64_t end = arena->start + walk->layout->arena_size;
	struct pm_python_pool_view *view = walk->view;
	bool valid = false;

	view->consistent = false;
	for (int i = 0; i < ATTEMPTS_MAX && !view->consistent; i++) {
		if (i > 0)
			pm_heap_window_forget_bytes(walk->context->window);
		valid = read_bytes(walk, address, end) &&
		        pm_python_pool_is_valid(&view->pool, walk->layout->pool_size, arena->index);
		view->consistent = valid && follow_free(view);
		if (pm_runtime_ends(walk->context))
			break;
	}

	return valid;
}

/** Counts a pool with blocks in use. */
static void count(struct pm_python_heap *heap, const struct pm_python_pool_view *view)
{
	struct pm_python_class *class = &heap->classes[view->pool.class];
	uint64_t all = (heap->pool_size - PM_PYTHON_POOL_HEADER) / view->size;

	heap->pools++;
	heap->blocks += view->pool.used;
	heap->in_use += (uint64_t)view->pool.used * view->size;
	heap->free += (all - view->pool.used) * view->size;
	class->pools++;
	class->count += view->pool.used;
	class->free += all - view->pool.used;
	if (!view->consistent)
		heap->complete = false;
}

static void read_arena(struct walk *walk, const struct pm_python_arena *arena)
{
	const uint64_t size = walk->layout->pool_size;
	uint64_t used = 0, lost = 0;

	for (uint64_t at = arena->base; at < arena->end; at += size) {
		if (pm_runtime_ends(walk->context)) {
			lost += (arena->end - at) / size;
			break;
		}
		if (!read_pool(walk, arena, at)) {
			lost++;
			continue;
		}
		if (walk->view->pool.used == 0)
			continue;

		count(walk->heap, walk->view);
		if (walk->visit)
			walk->visit(walk->closure, walk->view);
		used++;
	}

	uint64_t unused = arena->pools - pm_min(used + lost, arena->pools);
	walk->heap->pools_free += unused;
	walk->heap->free += unused * size;
	if (lost > 0)
		walk->heap->complete = false;
}

int pm_python_pools_read(struct pm_runtimes_context *context, const struct pm_python_arenas *arenas,
                         struct pm_python_heap *heap, pm_python_pool_visit *visit, void *closure,
                         struct pm_error *error)
{
	struct walk walk = { .context = context,
		             .layout = &arenas->layout,
		             .heap = heap,
		             .view = malloc(sizeof *walk.view),
		             .visit = visit,
		             .closure = closure };

	if (!walk.view)
		return pm_error_out_of_memory(error);

	heap->arena_size = arenas->layout.arena_size;
	heap->pool_size = arenas->layout.pool_size;
	heap->arenas = arenas->count;
	for (unsigned i = 0; i < PM_PYTHON_CLASSES; i++)
		heap->classes[i].size = (i + 1) * ALIGNMENT;
	/* The buffer can have bytes from before the search for arenas. */
	pm_heap_window_forget_bytes(context->window);
	for (size_t i = 0; i < arenas->count; i++)
		read_arena(&walk, &arenas->items[i]);
	if (arenas->doubtful > 0 || pm_runtime_ends(context))
		heap->complete = false;

	free(walk.view);
	return 0;
}
