/* SPDX-License-Identifier: MIT */
/** @file Finds the thread descriptors of glibc (struct pthread) in memory. Private. */
#ifndef PM_HEAP_THREAD_DESCRIPTORS_H
#define PM_HEAP_THREAD_DESCRIPTORS_H

#include <sys/types.h>

#include "heap/heap.h"

/** A thread whose descriptor is wanted. */
struct pm_thread_descriptor {
	pid_t own_tid;          /**< the TID in the PID namespace of the process */
	uint64_t stack_pointer; /**< stack pointer; 0 if not known */
	uint64_t address; /**< address of the descriptor (fs_base on x86-64); 0 if not known */
	size_t index;     /**< free for the caller */
};

/**
 * Finds the descriptors of threads. If the stack pointer of a thread is known, its stack is
 * searched; otherwise, the places where glibc usually has descriptors are searched. A thread whose
 * `address` is known is not changed. Works only on x86-64: on other machines, the descriptor has
 * another place and layout.
 *
 * @param heap     the heap whose target has the threads
 * @param threads  the threads, sorted by `own_tid` afterwards; receives the addresses
 * @param count    number of threads
 * @param error    PM_ERROR_GONE, PM_ERROR_IO (page states), PM_ERROR_CANCELLED
 * @return         0, also if descriptors were not found; or -1
 */
int pm_thread_descriptors_find(struct pm_heap_handle *heap, struct pm_thread_descriptor *threads,
                               size_t count, struct pm_error *error);

#endif
