/* SPDX-License-Identifier: MIT */
/**
 * @file Reads the first words of writable anonymous regions, where glibc's malloc has its headers.
 * Private.
 */
#ifndef PM_KINDS_MALLOC_HEADERS_H
#define PM_KINDS_MALLOC_HEADERS_H

#include "kinds/rule.h"

/**
 * Size of a header in bytes: enough for a heap_info (four words), or for prev_size and size of a
 * chunk.
 */
enum { PM_MALLOC_HEADER_SIZE = 32 };

/**
 * Reads the headers of the writable anonymous regions that no rule has claimed so far.
 *
 * @param context  receives the headers in `header_bytes`, their positions in `header_at`, and their
 *                 states in `headers`
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
