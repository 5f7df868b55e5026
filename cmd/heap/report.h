/* SPDX-License-Identifier: MIT */
/** @file What `heap` has found out, for its output. */
#ifndef CMD_HEAP_REPORT_H
#define CMD_HEAP_REPORT_H

#include <procmem/arena_threads.h>
#include <procmem/census.h>
#include <procmem/heap.h>
#include <procmem/python_heap.h>

#include "heap/options.h"
#include "heap/verdict.h"
#include "target/chunk_contents.h"
#include "target/memory.h"
#include "target/stop_limit.h"

/** What is known about the heap of a target. */
struct heap_report {
	const struct heap_options *options; /**< the options */
	struct memory memory;               /**< the memory of the target */
	struct pm_heap_source source;       /**< where the heap is read from */
	struct pm_heap *heap;               /**< its heap; owned */
	bool has_address;                   /**< only the chunk at an address is needed */
	bool stopped;                       /**< the target was stopped for the walk */
	uint64_t damaged; /**< address at which the chain of chunks broke in two stops; 0: none */
	bool waiting;     /**< if `damaged` is set: a thread did not run between these stops */
	struct stop_limit limit; /**< the limit of the stops; `spent_ns` is that of earlier ones */
	struct chunk_contents contents; /**< what the chunks contain */
	struct pm_chunk_filter *filter; /**< which chunks are selected; owned */
	struct heap_verdict verdict;    /**< what the figures mean */
	struct pm_census *pins; /**< the sampled pins of the verdict, as one class; NULL if there
	                           are none; owned */
	struct pm_arena_threads threads; /**< which threads use which arenas; owned */
	struct pm_python_heap *python;   /**< the heap of CPython; NULL if there is none; owned */
	struct pm_census *census; /**< the classes of chunks; NULL if they were not counted; owned
	                           */
};

/**
 * Opens the memory of a target, its heap, and what is needed to find out what its chunks contain.
 * With --stop, a thread can be inside malloc when it is stopped. The chain of chunks is then broken
 * for a moment, so the target is resumed and stopped again, a few times.
 *
 * @param report  zeroed except `options`, `has_address` and `memory.cancel`; must not be moved.
 *                Release it with heap_report_deinit(), even on failure
 * @param word    the TARGET; must outlive the report
 * @param error   any; PM_ERROR_UNSUPPORTED if no known allocator was found
 * @return        0 or -1
 */
int heap_report_open(struct heap_report *report, const char *word, struct pm_error *error);

/**
 * Judges the heap, and counts its chunks by class.
 *
 * @param report  opened
 * @param error   as for pm_census_add_heap()
 * @return        0 or -1
 */
int heap_report_count(struct heap_report *report, struct pm_error *error);

/**
 * Finds the threads that use the arenas. Their names and IDs are read, which takes long if there
 * are many threads, so the target need not be stopped any more.
 *
 * @param report  opened; its stop has ended, unless a session holds it
 * @param error   as for pm_arena_threads_find()
 * @return        0 or -1
 */
int heap_report_find_threads(struct heap_report *report, struct pm_error *error);

/**
 * Closes the heap and the memory.
 * @param report  the report
 */
void heap_report_deinit(struct heap_report *report);

/**
 * Returns how long the target was stopped.
 * @param report  the report, after the stop has ended
 * @return        nanoseconds, of all stops; 0 if the target was not stopped, or if the session
 *                continues the stop
 */
uint64_t heap_report_stopped_ns(const struct heap_report *report);

/**
 * Returns the class of the chunks that pin free memory.
 * @param report  the report
 * @return        the class of the sampled chunks; NULL if there are none
 */
const struct pm_census_class *heap_report_pins(const struct heap_report *report);

/**
 * Returns the keys of the classes.
 * @param report  the report
 * @return        enum pm_census_key bits
 */
unsigned heap_report_keys(const struct heap_report *report);

#endif
