/* SPDX-License-Identifier: MIT */
/** @file Functions that all sources of limits use: they read files and add limits. Private. */
#ifndef PM_LIMITS_LIMIT_SOURCE_H
#define PM_LIMITS_LIMIT_SOURCE_H

#include <procmem/headroom.h>

/**
 * Adds a limit, or replaces the limit of the same kind.
 *
 * @param headroom  the limits
 * @param kind      the kind
 * @param max       the limit, in the unit of its kind
 * @param used      the part of the limit that is used, in the same unit
 * @param source    printf(3) format of the name of the file or setting that defines the limit
 * @return          the new element of `headroom`; its `reclaimable` is 0
 */
struct pm_limit *pm_limit_add(struct pm_headroom *headroom, enum pm_limit_kind kind, uint64_t max,
                              uint64_t used, const char *source, ...)
	__attribute__((format(printf, 5, 6)));

/**
 * Reads a small file below a root.
 *
 * @param root  the directory
 * @param path  path of the file, relative to `root`
 * @return      the text of the file, which the caller frees; NULL if the file cannot be read
 */
char *pm_limit_file(const char *root, const char *path);

#endif
