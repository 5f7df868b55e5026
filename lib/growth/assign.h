/* SPDX-License-Identifier: MIT */
/** @file FILL assign.c */
#ifndef PM_GROWTH_ASSIGN_H
#define PM_GROWTH_ASSIGN_H

#include "growth/tracker_state.h"

/**
 * Gives every region of a sample its track, and sums them up.
 *
 * @param growth   what the sample differs by from the last one
 * @param regions  of the sample
 * @param owners   where to store the track of each; zeroed
 * @return         0 or -1
 */
int pm_tracker_assign(struct pm_tracker *tracker, const struct pm_growth *growth,
                      const struct pm_regions *regions, struct followed **owners, double time,
                      struct pm_error *error);

/** Begins the sums of all tracks anew. */
void pm_tracker_clear_sums(struct pm_tracker *tracker);

#endif
