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
 * Reads the headers of all regions that no rule has claimed, once for all rules.
 *
 * @param context  `header_bytes` and `headers` are filled
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_malloc_headers_read(struct pm_kinds_context *context, struct pm_error *error);

/** Returns the header of a region, PM_MALLOC_HEADER_SIZE bytes. The header must have been read. */
const unsigned char *pm_malloc_header(const struct pm_kinds_context *context,
                                      const struct pm_region *region);

/** Returns whether the header of a region was read. */
static inline bool pm_malloc_header_was_read(const struct pm_kinds_context *context,
                                             const struct pm_region *region)
{
	return context->headers[pm_kinds_index(context, region)] == PM_HEADER_READ;
}

/** Returns HEAP_MAX_SIZE of the target: 64 MiB, or 1 MiB in 32-bit programs. */
uint64_t pm_arena_heap_max(const struct pm_kinds_context *context);

#endif
