/* SPDX-License-Identifier: MIT */
/** @file The limit that a process reaches first. */
#ifndef CMD_TARGET_FIRST_LIMIT_H
#define CMD_TARGET_FIRST_LIMIT_H

#include <stdbool.h>

#include <procmem/headroom.h>

/**
 * Computes how long a limit lasts.
 *
 * @param context  context that was passed to first_limit()
 * @param limit    the limit
 * @param seconds  receives the time
 * @return         true if the limited quantity grows steadily, so that the time is known
 */
typedef bool first_limit_lasts(const void *context, const struct pm_limit *limit, double *seconds);

/**
 * Finds the limit that is reached first: the one with the shortest time left. If no time is known,
 * this is the one with the fewest bytes left among memory, address space and data. memory.high is
 * ignored, because it throttles the process but does not stop it. Of the memory limits of the
 * cgroup and the machine, only the one with less memory left is considered.
 *
 * @param headroom  the limits
 * @param lasts     computes how long each lasts
 * @param context   passed to `lasts`
 * @return          the limit, or NULL if none is known
 */
const struct pm_limit *first_limit(const struct pm_headroom *headroom, first_limit_lasts *lasts,
                                   const void *context);

/**
 * Returns a description of what a limit bounds, such as "the memory and swap of the machine".
 *
 * @param kind  its kind
 * @return      a constant text
 */
const char *first_limit_words(enum pm_limit_kind kind);

#endif
