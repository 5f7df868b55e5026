/* SPDX-License-Identifier: MIT */
/** @file Direct memory of a JVM: the memory of direct buffers, which is outside of the Java heap.
 * Private. */
#ifndef PM_RUNTIMES_HOTSPOT_DIRECT_H
#define PM_RUNTIMES_HOTSPOT_DIRECT_H

#include "runtimes/context.h"

/** Sums of chunks. */
struct pm_direct_sizes {
	uint64_t *items; /**< sizes of chunks in bytes; sorted by pm_hotspot_direct_sum() */
	size_t count;    /**< number of elements of `items` */
};

/**
 * Estimates the bytes of direct buffers: adds up the chunks of malloc that can be direct buffers.
 *
 * @param context  the context; pm_runtimes_source.walk_heap must be set. The ranges that were added
 *                 before are not searched for chunks
 * @param used     receives the bytes
 * @return         false if the chunks are not known, or if more than 1 MiB of the process is in
 * swap; `used` is then unchanged
 */
bool pm_hotspot_direct_used(struct pm_runtimes_context *context, uint64_t *used);

/**
 * Adds up the chunks that can be direct buffers: those of at least 16 KiB whose size occurs at
 * least twice. A program allocates buffers of few sizes; the large blocks of the JVM itself have
 * different sizes.
 *
 * @param sizes  the sizes of chunks in use, without blocks of the JVM's arenas; receives another
 *               order
 * @return       bytes
 */
uint64_t pm_hotspot_direct_sum(struct pm_direct_sizes *sizes);

#endif
