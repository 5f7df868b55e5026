/* SPDX-License-Identifier: MIT */
/** @file The limit that a process reaches first. */
#ifndef CMD_TARGET_FIRST_LIMIT_H
#define CMD_TARGET_FIRST_LIMIT_H

#include <stdbool.h>

#include <procmem/headroom.h>

/**
 * Computes how long a limit lasts.
 *
 * @param context  what is known about the process
 * @param limit    the limit
 * @param seconds  receives the time
 * @return         true if the limited thing grows steadily
 */
typedef bool first_limit_lasts(const void *context, const struct pm_limit *limit, double *seconds);

/**
 * Finds the limit that is reached first: the one with the shortest time left. Without any time, of
 * memory, address space and data the one that leaves fewest bytes. memory.high is ignored, because
 * it throttles the process but does not stop it; so is the larger one of cgroup and machine.
 *
 * @param headroom  the limits
 * @param lasts     computes how long each lasts
 * @param context   passed to `lasts`
 * @return          the limit, or NULL if none is known
 */
const struct pm_limit *first_limit(const struct pm_headroom *headroom, first_limit_lasts *lasts,
                                   const void *context);

/**
 * Describes what a limit bounds: "the memory and swap of the machine".
 *
 * @param kind  its kind
 * @return      a constant text
 */
const char *first_limit_words(enum pm_limit_kind kind);

#endif
