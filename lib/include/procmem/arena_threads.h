/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Which threads use which arenas of glibc's malloc: a thread takes new chunks from the arena that
 * its thread-local variable `thread_arena` refers to (malloc/arena.c). The variable is found
 * without symbols: it has the same distance from the thread pointer in all threads, and it contains
 * the address of an arena, or 0 if the thread has not called malloc yet.
 *
 * A chunk can be allocated by one thread and freed by another one. The chunks of a thread that has
 * ended stay in its arena, which another thread can get.
 *
 * x86-64 only.
 */
#ifndef PROCMEM_ARENA_THREADS_H
#define PROCMEM_ARENA_THREADS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/core.h>
#include <procmem/error.h>
#include <procmem/heap.h>
#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A thread that uses an arena. */
struct pm_arena_thread {
	pid_t tid;               /**< thread ID */
	char name[PM_COMM_SIZE]; /**< name; "" if not known, as in a core file */
	uint32_t arena;          /**< index of the arena in pm_heap.arenas */
};

/** The threads that use arenas. Initialise with zeros. */
struct pm_arena_threads {
	struct pm_arena_thread *items; /**< the threads, by arena, then by TID */
	size_t count;                  /**< number of elements of `items` */
	size_t unknown;                /**< number of threads whose arena is not known */
};

/**
 * Finds the threads that use arenas. If the target is not stopped, threads can start, end, or get
 * another arena during the search.
 *
 * @param heap     the heap; nothing is found unless its allocator is glibc
 * @param process  the process; NULL for a core file
 * @param core     the core file; NULL for a process
 * @param found    receives the threads; release with pm_arena_threads_deinit()
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_IO (page states),
 *                 PM_ERROR_CANCELLED
 * @return         0 or -1
 */
PM_PUBLIC int pm_arena_threads_find(struct pm_heap *heap, struct pm_process *process,
                                    const struct pm_core *core, struct pm_arena_threads *found,
                                    struct pm_error *error);

/**
 * Returns the threads of an arena.
 *
 * @param threads  the threads
 * @param arena    index of the arena
 * @param count    receives the number of threads
 * @return         the first of the threads; NULL if there are none
 */
PM_PUBLIC const struct pm_arena_thread *pm_arena_threads_of(const struct pm_arena_threads *threads,
                                                            uint32_t arena, size_t *count);

/**
 * Releases the threads.
 * @param threads  the threads; zeros afterwards
 */
PM_PUBLIC void pm_arena_threads_deinit(struct pm_arena_threads *threads);

#ifdef __cplusplus
}
#endif

#endif
