/* SPDX-License-Identifier: MIT */
/**
 * @file What each source of limits needs: reading where they stand, and adding them to what is
 * known. Private.
 */
#ifndef PM_LIMITS_LIMIT_SOURCE_H
#define PM_LIMITS_LIMIT_SOURCE_H

#include <procmem/headroom.h>

/**
 * Adds a limit, or exchanges the one of this kind.
 * @param source printf format of where it stands
 * @return it, to be completed
 */
struct pm_limit *pm_limit_add(struct pm_headroom *headroom, enum pm_limit_kind kind, uint64_t max,
                              uint64_t used, const char *source, ...)
	__attribute__((format(printf, 5, 6)));

/**
 * Reads a small file below a root.
 * @param path behind the root
 * @return its text, the caller frees it; NULL where it cannot be read
 */
char *pm_limit_file(const char *root, const char *path);

#endif
