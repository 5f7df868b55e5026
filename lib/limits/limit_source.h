/* SPDX-License-Identifier: MIT */
/** @file Functions that all sources of limits use: they read files and add limits. Private. */
#ifndef PM_LIMITS_LIMIT_SOURCE_H
#define PM_LIMITS_LIMIT_SOURCE_H

#include <procmem/headroom.h>

/**
 * Adds a limit. Replaces all limits of the same kind.
 *
 * @param headroom  the limits
 * @param kind      the kind
 * @param max       the limit, in the unit of its kind
 * @param used      the part of the limit that is used, in the same unit
 * @param source    name of the file or setting that defines the limit
 * @return          the new element of `headroom`; its `reclaimable`, `exempt` and `approximate` are
 * 0
 */
struct pm_limit *pm_limit_add(struct pm_headroom *headroom, enum pm_limit_kind kind, uint64_t max,
                              uint64_t used, const char *source);

/**
 * Inserts a limit before all limits of later kinds, and before the limits of the same kind of which
 * more is left. If there are PM_LIMIT_LEVELS limits of this kind already, the one of which the most
 * is left is dropped.
 *
 * @param headroom  the limits
 * @param limit     the limit; `counts` need not be set
 * @return          the new element of `headroom`; NULL if the limit was dropped
 */
struct pm_limit *pm_limit_insert(struct pm_headroom *headroom, const struct pm_limit *limit);

/** Removes all limits of a kind. */
void pm_limit_remove(struct pm_headroom *headroom, enum pm_limit_kind kind);

/**
 * Reads a small file below a root.
 *
 * @param root  the directory
 * @param path  path of the file, relative to `root`
 * @return      the text of the file, which the caller frees; NULL if the file cannot be read
 */
char *pm_limit_file(const char *root, const char *path);

/**
 * Finds the soft limit with a given name in the text of /proc/PID/limits.
 *
 * @param limits  text of the file
 * @param name    a newline, followed by the name of the limit
 * @param max     receives the limit
 * @return        true; false if the line is missing or the limit is "unlimited"
 */
bool pm_limit_soft(const char *limits, const char *name, uint64_t *max);

#endif
