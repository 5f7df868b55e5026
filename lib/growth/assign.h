/* SPDX-License-Identifier: MIT */
/** @file Assigns the regions of a new sample to tracks. Private. */
#ifndef PM_GROWTH_ASSIGN_H
#define PM_GROWTH_ASSIGN_H

#include "growth/tracker_state.h"

/**
 * Assigns a track to every region of a sample, and updates the sums of all tracks.
 *
 * @param tracker  the tracker; its list of regions is still that of the last sample
 * @param growth   the difference between the last sample and the new sample
 * @param regions  the regions of the new sample
 * @param owners   receives the track of each region; zeroed by the caller
 * @param time     time of the new sample, in seconds
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_assign_tracks(struct pm_tracker *tracker, const struct pm_growth *growth,
                     const struct pm_regions *regions, struct pm_followed **owners, double time,
                     struct pm_error *error);

/**
 * Resets the sums over regions of all tracks to 0.
 * @param tracker the tracker
 */
void pm_assign_clear_sums(struct pm_tracker *tracker);

#endif
