/* SPDX-License-Identifier: MIT */
/**
 * @file The first words of writable anonymous regions, where glibc's malloc would have its headers.
 * Private.
 */
#ifndef PM_KINDS_MALLOC_HEADERS_H
#define PM_KINDS_MALLOC_HEADERS_H

#include "kinds/rule.h"

/** Four words of 8 bytes: a heap_info, or a chunk's prev_size and size. */
enum { PM_MALLOC_HEADER_SIZE = 32 };

/**
 * Reads them once for all rules, of those regions that no rule has claimed; context->headers says
 * what became of each.
 *
 * @param context  its `header_bytes` and `headers` are filled
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_malloc_headers_read(struct pm_kinds_context *context, struct pm_error *error);

/** A region's header, PM_MALLOC_HEADER_SIZE bytes; only of a region whose header was read. */
const unsigned char *pm_malloc_header(const struct pm_kinds_context *context,
                                      const struct pm_region *region);

/** Whether the header of a region was read. */
static inline bool pm_malloc_header_was_read(const struct pm_kinds_context *context,
                                             const struct pm_region *region)
{
	return context->headers[pm_kinds_index(context, region)] == PM_HEADER_READ;
}

/** HEAP_MAX_SIZE of the target: 64 MiB, 1 MiB in 32-bit programs. */
uint64_t pm_arena_heap_max(const struct pm_kinds_context *context);

#endif
