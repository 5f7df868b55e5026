/* SPDX-License-Identifier: MIT */
/** @file Reads the first bytes of many chunks by few system calls. Private. */
#ifndef PM_HEAP_CHUNK_HEADS_H
#define PM_HEAP_CHUNK_HEADS_H

#include "heap/heap.h"

/** The first bytes of a batch of chunks; opaque. */
struct pm_chunk_heads;

/**
 * Creates an empty batch. It takes about 1 MiB of memory.
 * @param heap  the heap; must outlive the batch
 * @return      the batch, or NULL with PM_ERROR_RESOURCES
 */
struct pm_chunk_heads *pm_chunk_heads_create(struct pm_heap_handle *heap, struct pm_error *error);

/**
 * Restricts the chunks to some of them.
 *
 * @param heads   before the first pm_chunk_heads_next()
 * @param chunks  the chunks, ascending; not NULL. Must outlive `heads`
 * @param count   number of chunks
 */
void pm_chunk_heads_pick(struct pm_chunk_heads *heads, const struct pm_chunk *chunks, size_t count);

/**
 * Releases a batch.
 * @param heads  the batch; may be NULL
 */
void pm_chunk_heads_destroy(struct pm_chunk_heads *heads);

/**
 * Collects the next chunks and reads their first bytes.
 *
 * @param states  as for pm_heap_read_chunks()
 * @param error   PM_ERROR_GONE, PM_ERROR_IO (page states), PM_ERROR_CANCELLED
 * @return        1; 0 if there are no more chunks; -1 on error
 */
int pm_chunk_heads_next(struct pm_chunk_heads *heads, unsigned states, struct pm_error *error);

/**
 * Visits the chunks of a batch.
 *
 * @param visit    as for pm_heap_read_chunks()
 * @param context  passed to `visit`
 * @param error    PM_ERROR_GONE, PM_ERROR_IO (page states), PM_ERROR_CANCELLED
 * @return         0; -1 on error; otherwise the value with which `visit` ended the walk
 */
int pm_chunk_heads_visit(struct pm_chunk_heads *heads, pm_chunk_visitor *visit, void *context,
                         struct pm_error *error);

#endif
