/* SPDX-License-Identifier: MIT */
/** @file Allocators that are part of the program. Private. */
#ifndef PM_HEAP_LINKED_H
#define PM_HEAP_LINKED_H

#include <stdint.h>

#include <procmem/heap.h>

/**
 * As pm_heap_find_linked().
 * @param deadline_ns  CLOCK_MONOTONIC: when to stop searching
 */
enum pm_heap_allocator pm_linked_find(struct pm_process *process, uint64_t deadline_ns);

#endif
