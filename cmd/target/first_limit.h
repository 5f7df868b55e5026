/* SPDX-License-Identifier: MIT */
/** @file The limit that a process reaches first. */
#ifndef CMD_TARGET_FIRST_LIMIT_H
#define CMD_TARGET_FIRST_LIMIT_H

#include <stdbool.h>

#include <procmem/headroom.h>

/**
 * Computes the time until a limit is reached.
 *
 * @param context  context that was passed to first_limit()
 * @param limit    the limit
 * @param seconds  receives the time in seconds
 * @return         true if the time is known or can be estimated
 */
typedef bool first_limit_lasts(const void *context, const struct pm_limit *limit, double *seconds);

/**
 * Finds the limit that is reached first: the limit with the shortest time left. If no time is
 * known, finds the limit with the fewest bytes left among the limits of memory, address space and
 * data. Ignores memory.high and the working set, which do not stop the process, and limits that the
 * kernel does not enforce for the process.
 *
 * @param headroom  the limits
 * @param lasts     computes the time until a limit is reached
 * @param context   passed to `lasts`
 * @return          the limit, or NULL if none is known
 */
const struct pm_limit *first_limit(const struct pm_headroom *headroom, first_limit_lasts *lasts,
                                   const void *context);

/**
 * Returns a description of the quantity that a limit restricts, such as "the memory and swap of the
 * machine".
 *
 * @param kind  kind of the limit
 * @return      a constant text
 */
const char *first_limit_words(enum pm_limit_kind kind);

#endif
