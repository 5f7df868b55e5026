/* SPDX-License-Identifier: MIT */
/** @file The number and the time that a new sample gets in a recording. Private. */
#ifndef PM_RECORDING_SAMPLE_PLACE_H
#define PM_RECORDING_SAMPLE_PLACE_H

#include <stdint.h>

/** What identifies a sample, and its place among the others. */
struct pm_sample_place {
	uint64_t number;  /**< from 1 */
	double time;      /**< pm_sample.time, or later */
	int64_t later_ns; /**< nanoseconds by which `time` is later than pm_sample.time */
};

/**
 * Returns the place of a new sample.
 *
 * @param last  place of the last sample in the file, which is untrusted; its number is 0 if the
 *              file has no samples
 * @param time  time of the new sample in seconds
 * @return      the place. Its time is later than that of the last sample: another recorder may have
 *              taken a sample later, but stored it earlier
 */
struct pm_sample_place pm_sample_place_after(const struct pm_sample_place *last, double time);

#endif
