/* SPDX-License-Identifier: MIT */
/** @file FILL followed.c */
#ifndef PM_GROWTH_FOLLOWED_H
#define PM_GROWTH_FOLLOWED_H

#include "growth/tracker_state.h"

/** Begins the sums of a sample anew. */
void pm_followed_clear(struct followed *followed);

/**
 * Adds a region to the sums.
 * @param was what weighed at its addresses at the sample before
 */
void pm_followed_count(struct followed *followed, const struct pm_region *region, uint64_t was);

#endif
