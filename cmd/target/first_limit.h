/* SPDX-License-Identifier: MIT */
/** @file Which of the limits a process meets first. */
#ifndef CMD_TARGET_FIRST_LIMIT_H
#define CMD_TARGET_FIRST_LIMIT_H

#include <stdbool.h>

#include <procmem/headroom.h>

/**
 * How long a limit lasts.
 *
 * @param context  what is known of the process
 * @param limit    the limit
 * @param seconds  where to store it
 * @return         true where what it bounds grows steadily
 */
typedef bool first_limit_lasts(const void *context, const struct pm_limit *limit, double *seconds);

/**
 * The limit that is met first: the one with the least time left; where no time is known, of memory,
 * address space and data the one that leaves the fewest bytes. memory.high is none of them: it
 * slows the process down, and does not stop it; of the cgroup and the machine only the one that is
 * the first to kill is.
 *
 * @param headroom  the limits
 * @param lasts     tells how long each lasts
 * @param context   for that
 * @return          the limit, or NULL where none is known
 */
const struct pm_limit *first_limit(const struct pm_headroom *headroom, first_limit_lasts *lasts,
                                   const void *context);

/**
 * What a limit bounds, in a few words: "the machine's memory and swap".
 * @param kind its kind
 * @return a constant text
 */
const char *first_limit_words(enum pm_limit_kind kind);

#endif
