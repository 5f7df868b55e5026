/* SPDX-License-Identifier: MIT */
/** @file The heap of a running target, with all that is needed to classify its chunks. A failure
 *   fails the running cmocka test. */
#ifndef TESTS_SUPPORT_OPEN_HEAP_H
#define TESTS_SUPPORT_OPEN_HEAP_H

#include <procmem/chunk_type.h>
#include <procmem/heap.h>
#include <procmem/symbols.h>

#include "support/look.h"

/** The heap of a process. */
struct open_heap {
	struct look look;             /**< the process */
	struct pm_heap_source source; /**< its memory */
	struct pm_regions now;        /**< its regions at the last open_heap_again() */
	struct pm_heap *heap;         /**< its heap */
	struct pm_symbols *symbols;   /**< its symbols */
	struct pm_chunk_types *types; /**< the types of its chunks */
};

/**
 * Opens the heap of a process, which must be that of glibc.
 * @param heap  filled; release with open_heap_close()
 * @param pid   the process
 */
void open_heap(struct open_heap *heap, pid_t pid);

/** Opens the heap again, as it is now. Types are kept. */
void open_heap_again(struct open_heap *heap);

/** Closes everything. */
void open_heap_close(struct open_heap *heap);

#endif
