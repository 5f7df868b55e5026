/* SPDX-License-Identifier: MIT */
/** @file The limit that a process reaches first. */
#ifndef CMD_TARGET_FIRST_LIMIT_H
#define CMD_TARGET_FIRST_LIMIT_H

#include <procmem/headroom.h>

#include "base/text.h"
#include "target/forecast.h"

/**
 * Finds the limit that is reached first: a limit on a number, such as pids.max, of which nothing is
 * left; otherwise the limit with the shortest time left. If no time is known, finds the limit with
 * the fewest bytes left among the limits of memory, address space and data. The latter is returned
 * also if the shortest time is that of the memory of the machine at the rate of the process, and
 * the time of the limit with the fewest bytes left is not known.
 *
 * Ignores memory.high and the working set, which do not stop the process, limits that the kernel
 * does not enforce for the process, and limits that only other processes use up (forecast.foreign).
 * Limits whose used part contains garbage seldom have a time (forecast_make()). Metaspace, class
 * space and code cache of a JVM, which grow while it warms up, are ignored until half of them is
 * used.
 *
 * @param headroom   the limits
 * @param forecasts  forecasts of the elements of `headroom->limits`, at the same indices; NULL if
 *                   no time is known
 * @return           the limit, or NULL if none is known
 */
const struct pm_limit *first_limit(const struct pm_headroom *headroom,
                                   const struct forecast *forecasts);

/**
 * Returns whether the growth of a limit is that of a JVM which warms up: it loads classes and
 * compiles code, and less than half of the limit is used.
 *
 * @param limit  the limit
 * @return       false also for all other limits
 */
bool first_limit_warms_up(const struct pm_limit *limit);

/**
 * Returns a description of the quantity that a limit restricts, such as "the memory and swap of the
 * machine".
 *
 * @param kind  kind of the limit
 * @return      a constant text
 */
const char *first_limit_words(enum pm_limit_kind kind);

/**
 * Returns what happens when a limit of a runtime is reached, such as "OutOfMemoryError: Metaspace".
 *
 * @param kind  kind of the limit
 * @return      a constant text; "" for limits of the kernel
 */
const char *first_limit_effect(enum pm_limit_kind kind);

/**
 * Adds which limit was the cause of an OOM kill: the folder of the cgroup, which contains the file
 * from which the limit was read.
 *
 * @param limit  the limit of memory of the cgroup; NULL: it has none
 * @param text   receives "memory limit of /g", or "the machine has no memory left"
 */
void first_limit_put_cause(const struct pm_limit *limit, struct text *text);

#endif
