/* SPDX-License-Identifier: MIT */
/** @file The first lines of `procmem headroom`: which limit is reached first, and when. */
#ifndef CMD_HEADROOM_ANSWER_H
#define CMD_HEADROOM_ANSWER_H

#include "headroom/headroom.h"

/**
 * Adds an amount in the unit of a limit: a size, or a number.
 *
 * @param report  the results
 * @param limit   the limit
 * @param amount  the amount
 * @param text    receives the amount
 */
void headroom_answer_amount(const struct headroom_report *report, const struct pm_limit *limit,
                            uint64_t amount, struct text *text);

/**
 * Returns the limit that is reached first. If no time is known, returns the limit of memory or
 * address space with the least left.
 *
 * @param report  the results
 * @return        the limit, an element of `report`; NULL if no limit is known
 */
const struct pm_limit *headroom_answer_limit(const struct headroom_report *report);

/**
 * Prints the lines.
 *
 * @param report  the results
 * @param out     where to write
 */
void headroom_answer_print(const struct headroom_report *report, struct out *out);

#endif
