/* SPDX-License-Identifier: MIT */
/** @file Opens the heap of a target: what is inside malloc. */
#ifndef CMD_TARGET_MALLOC_HEAP_H
#define CMD_TARGET_MALLOC_HEAP_H

#include <signal.h>

#include <procmem/heap.h>
#include <procmem/runtimes.h>

#include "target/memory.h"
#include "target/regions_load.h"

/**
 * Returns where the heap of a target is read from.
 *
 * @param memory  the memory of all regions; must outlive the result
 * @return        the source
 */
struct pm_heap_source malloc_heap_source(struct memory *memory);

/**
 * Opens the heap of a target whose memory is open.
 *
 * @param memory  the memory of all regions; must outlive the heap
 * @param heap    receives the heap, also if no allocator was found; release with pm_heap_close()
 * @param error   as for pm_heap_open()
 * @return        0 or -1
 */
int malloc_heap_open(struct memory *memory, struct pm_heap **heap, struct pm_error *error);

/** A heap, and what it is read with. */
struct malloc_heap {
	struct pm_reader reader;      /**< reads the bytes of the target; owned */
	struct pm_pagemap *pagemap;   /**< page states of a process; NULL for a core file; owned */
	struct pm_page_source pages;  /**< source of the page states */
	struct pm_heap_source source; /**< where the heap is read from */
	struct pm_heap *heap;         /**< the heap; owned */
};

/**
 * Searches a process, which is not stopped, for what takes long to find: see pm_heap_find_hint().
 *
 * @param process  the process
 * @param cancel   as pm_heap_source.cancel; may be NULL
 * @param hint     receives what was found; zeroed if the process cannot be searched
 */
void malloc_heap_find_hint(struct pm_process *process, const volatile sig_atomic_t *cancel,
                           struct pm_heap_hint *hint);

/** What it takes to read a heap. */
struct malloc_heap_cost {
	uint64_t ns;      /**< time to find all chunks, in nanoseconds */
	uint64_t chunks;  /**< number of chunks */
	uint32_t threads; /**< number of threads of the process */
};

/**
 * Reads the heap of a process, which is not stopped, and measures what this takes.
 *
 * @param process  the process
 * @param hint     from malloc_heap_find_hint()
 * @param cancel   as pm_heap_source.cancel; may be NULL
 * @param cost     receives the result
 * @return         whether the heap could be read; false if most of it was not found
 */
bool malloc_heap_measure(struct pm_process *process, const struct pm_heap_hint *hint,
                         const volatile sig_atomic_t *cancel, struct malloc_heap_cost *cost);

/**
 * Opens the heap of a process, which is not stopped.
 *
 * @param process  the process; must outlive the heap
 * @param regions  its regions; must outlive the heap
 * @param cancel   as pm_heap_source.cancel; may be NULL
 * @param opened   filled, but must not be moved; release with malloc_heap_close(), even on failure
 * @param error    as for pm_target_reader_open(), pm_pagemap_open() and pm_heap_open()
 * @return         0 or -1
 */
int malloc_heap_open_process(struct pm_process *process, const struct pm_regions *regions,
                             const volatile sig_atomic_t *cancel, struct malloc_heap *opened,
                             struct pm_error *error);

/** Ranges in which there are no chunks that malloc has mapped. Zeroed: there are none. */
struct malloc_heap_skip {
	struct pm_range *ranges; /**< ascending; release with free(3) */
	size_t count;            /**< number of elements of `ranges` */
};

/**
 * Returns where runtimes have their objects. To search it for chunks would read all of it.
 * @param runtimes  the runtimes of the process; NULL: they are not known
 * @return          the ranges that are proven
 */
struct malloc_heap_skip malloc_heap_skip_of(const struct pm_runtimes *runtimes);

/**
 * Opens the heap of a process as malloc_heap_open_process().
 * @param skip  ranges that are not searched; must outlive the heap
 */
int malloc_heap_open_beside(struct pm_process *process, const struct pm_regions *regions,
                            const struct malloc_heap_skip *skip,
                            const volatile sig_atomic_t *cancel, struct malloc_heap *opened,
                            struct pm_error *error);

/**
 * Opens the heap of a target of which only the regions were read.
 *
 * @param loaded  the regions of a process or of a core file; must outlive the heap
 * @param cancel  non-zero after Ctrl-C, or NULL; must outlive the heap
 * @param opened  filled, but must not be moved; release with malloc_heap_close(), even on failure
 * @param error   PM_ERROR_UNSUPPORTED if the target has no memory to read; otherwise as for
 *                pm_target_reader_open(), pm_pagemap_open() and pm_heap_open()
 * @return        0 or -1
 */
int malloc_heap_open_loaded(const struct loaded *loaded, const volatile sig_atomic_t *cancel,
                            struct malloc_heap *opened, struct pm_error *error);

/**
 * Releases a heap.
 * @param opened  as filled by malloc_heap_open_loaded(), or zeroed
 */
void malloc_heap_close(struct malloc_heap *opened);

/**
 * Reports the other allocator of a process, if there is one: its chunks are not in the heap.
 *
 * @param heap   the heap
 * @param bytes  print the exact size
 */
void malloc_heap_report_other(const struct pm_heap *heap, bool bytes);

/**
 * Reports that some mapped chunks can be other memory, if this is so.
 *
 * @param heap     the heap
 * @param outcome  what this means for all of them, such as "count as held"
 */
void malloc_heap_report_uncertain(const struct pm_heap *heap, const char *outcome);

/**
 * Returns whether mapped chunks that were not found are all that is not valid in a heap. This does
 * not show that the heap is damaged.
 */
bool malloc_heap_lacks_only_mapped(const struct pm_heap *heap);

/**
 * Reports the size of the mapped chunks that were found, and of those that malloc has counted.
 * @param heap  a heap with pm_heap.mapped_missing
 */
void malloc_heap_report_lacking(const struct pm_heap *heap);

/**
 * Checks whether the chunks of a heap are known.
 *
 * @param heap   the heap
 * @param core   the core file from which the heap was read; NULL for a process
 * @param word   the TARGET, for the error
 * @param error  PM_ERROR_UNSUPPORTED: why the chunks are not known, and what helps
 * @return       0 or -1
 */
int malloc_heap_check(const struct pm_heap *heap, const struct pm_core *core, const char *word,
                      struct pm_error *error);

#endif
