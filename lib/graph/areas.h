/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Where the threads have their stacks and their thread-local data, and which memory outside of
 * malloc is searched for pointers. Private.
 */
#ifndef PM_GRAPH_AREAS_H
#define PM_GRAPH_AREAS_H

#include "graph/graph.h"

/** Memory of a thread. */
struct pm_thread_area {
	struct pm_range range;
	size_t thread;    /**< index of the thread in pm_copy_threads() */
	bool local;       /**< thread-local data; otherwise a stack from the stack pointer on */
	uint64_t pointer; /**< the thread pointer, for thread-local data */
};

/** A list of areas, by ascending address. Zero-initialise it; free `items` with free(3). */
struct pm_thread_areas {
	struct pm_thread_area *items;
	size_t count;
	size_t capacity;
};

/**
 * Finds the areas of all threads, and sets pm_graph.unused: the parts of stacks below the stack
 * pointers, if it is certain that the memory is the stack of the thread. Usually, no function in
 * use has its variables there. An exception is a thread that runs on another part of its stack at
 * the moment, such as an alternate signal stack, or the stack of a coroutine inside of its stack.
 *
 * @param areas  empty; receives the areas
 * @return       0, or -1 with PM_ERROR_RESOURCES
 */
int pm_thread_areas_find(struct pm_graph *graph, struct pm_thread_areas *areas,
                         struct pm_error *error);

/** Returns the area that contains an address, or NULL. */
const struct pm_thread_area *pm_thread_areas_at(const struct pm_thread_areas *areas,
                                                uint64_t address);

/** Returns the start of the first area above an address, or UINT64_MAX. */
uint64_t pm_thread_areas_next(const struct pm_thread_areas *areas, uint64_t address);

/**
 * Finds the memory that is searched for roots, and sets pm_graph.memory: all copied memory except
 * the chunks of malloc in all states, the structures of malloc, and pm_graph.unused.
 * @return 0, or -1 with PM_ERROR_RESOURCES or PM_ERROR_CANCELLED
 */
int pm_root_memory_find(struct pm_graph *graph, struct pm_error *error);

#endif
