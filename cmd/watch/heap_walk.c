/* SPDX-License-Identifier: MIT */
#include "watch/heap_walk.h"

#include <string.h>
#include <time.h>

#include <procmem/maps.h>

#include "base/clock.h"
#include "base/interrupt.h"

void watch_heap_walk_init(struct watch_heap_walk *walk, struct pm_process *process,
                          const char *word, bool background)
{
	*walk = (struct watch_heap_walk){ .process = process,
		                          .word = word,
		                          .background = background };
	walk->cancel = background ? &walk->cancelled : interrupt_flag();
	pm_regions_init(&walk->regions);
}

/** Releases what open_first() has opened, except for the cohorts. It can be called again. */
static void close_first(struct watch_heap_walk *walk)
{
	chunk_contents_close(&walk->contents);
	malloc_heap_close(&walk->first);
	pm_regions_deinit(&walk->regions);
}

void watch_heap_walk_deinit(struct watch_heap_walk *walk)
{
	watch_heap_walk_cancel(walk);
	pm_cohorts_close(walk->cohorts);
	close_first(walk);
	pm_histogram_deinit(&walk->chunks);
}

/** Opens the heap for the first time, and the search for types, which all walks use. */
static int open_first(struct watch_heap_walk *walk, struct pm_error *error)
{
	struct malloc_heap *first = &walk->first;

	if (pm_maps_read(walk->process, PM_MAPS, &walk->regions, error) < 0 ||
	    malloc_heap_open_process(walk->process, &walk->regions, walk->cancel, first, error) <
	            0 ||
	    malloc_heap_check(first->heap, NULL, walk->word, error) < 0)
		return -1;

	const struct chunk_contents_target target = { .process = walk->process,
		                                      .memory = &first->source,
		                                      .heap = first->heap };

	if (chunk_contents_open(&walk->contents, &target, error) < 0)
		return -1;
	return pm_cohorts_open(walk->contents.types, &walk->cohorts, error);
}

/** Walks over a heap that was opened. */
static int walk_over(struct watch_heap_walk *walk, struct pm_heap *heap, struct pm_error *error)
{
	if (pm_cohorts_walk(walk->cohorts, heap, error) < 0)
		return -1;

	walk->complete = heap->complete;
	if (!walk->keep)
		return 0;

	pm_histogram_deinit(&walk->chunks);
	return pm_histogram_make(pm_cohorts_present(walk->cohorts), heap, &walk->chunks, error);
}

static int walk_first(struct watch_heap_walk *walk, struct pm_error *error)
{
	if (open_first(walk, error) < 0) {
		/* The next walk is a first one again. */
		close_first(walk);
		return -1;
	}

	int result = walk_over(walk, walk->first.heap, error);

	pm_heap_close(walk->first.heap);
	walk->first.heap = NULL;
	return result;
}

static int walk_again(struct watch_heap_walk *walk, struct pm_error *error)
{
	struct pm_regions regions;
	struct malloc_heap opened = { 0 };
	int result = -1;

	pm_regions_init(&regions);
	if (pm_maps_read(walk->process, PM_MAPS, &regions, error) == 0 &&
	    malloc_heap_open_process(walk->process, &regions, walk->cancel, &opened, error) == 0 &&
	    malloc_heap_check(opened.heap, NULL, walk->word, error) == 0)
		result = walk_over(walk, opened.heap, error);

	malloc_heap_close(&opened);
	pm_regions_deinit(&regions);
	return result;
}

/** Makes a walk. The function of the thread. */
static void *run(void *context)
{
	struct watch_heap_walk *walk = context;
	double cpu = clock_thread_cpu_seconds();

	walk->result = walk->cohorts ? walk_again(walk, &walk->error)
	                             : walk_first(walk, &walk->error);
	walk->cpu = clock_thread_cpu_seconds() - cpu;
	return NULL;
}

void watch_heap_walk_start(struct watch_heap_walk *walk)
{
	sigset_t all, before;

	walk->error = (struct pm_error){ 0 };
	if (!walk->background) {
		run(walk);
		return;
	}

	/* Signals are for the thread of the screen. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int cause = pthread_create(&walk->thread, NULL, run, walk);
	pthread_sigmask(SIG_SETMASK, &before, NULL);

	walk->runs = cause == 0;
	if (cause != 0) {
		walk->cpu = 0;
		walk->result = pm_error_set(&walk->error, PM_ERROR_RESOURCES, cause,
		                            "cannot start a thread: %s", strerror(cause));
	}
}

bool watch_heap_walk_await(struct watch_heap_walk *walk, double seconds)
{
	struct timespec until;

	if (!walk->runs)
		return true;

	clock_gettime(CLOCK_REALTIME, &until);
	double whole = (double)until.tv_nsec / 1e9 + seconds;
	until.tv_sec += (time_t)whole;
	until.tv_nsec = (long)((whole - (double)(time_t)whole) * 1e9);

	walk->runs = pthread_timedjoin_np(walk->thread, NULL, &until) != 0;
	return !walk->runs;
}

void watch_heap_walk_cancel(struct watch_heap_walk *walk)
{
	if (!walk->runs)
		return;

	__atomic_store_n(&walk->cancelled, 1, __ATOMIC_RELAXED);
	pthread_join(walk->thread, NULL);
	walk->runs = false;
}
