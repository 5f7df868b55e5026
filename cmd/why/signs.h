/* SPDX-License-Identifier: MIT */
/** @file Pressure on memory between the start and the end. */
#ifndef CMD_WHY_SIGNS_H
#define CMD_WHY_SIGNS_H

#include <procmem/pressure_signs.h>

/** The readings. Zeroed before the first use. */
struct why_signs {
	struct pm_pressure_source *source; /**< NULL: pressure is not known; owned */
	struct pm_pressure_reading first;  /**< at the start */
	struct pm_pressure_reading last;   /**< at the end */
	struct pm_signs signs;             /**< the thresholds that are crossed */
};

/**
 * Reads the counters for the first time. If they cannot be read, no signs will be found.
 *
 * @param signs    zeroed; release with why_signs_deinit()
 * @param process  the target; must outlive the signs
 */
void why_signs_begin(struct why_signs *signs, struct pm_process *process);

/**
 * Reads the counters again, and finds the thresholds that are crossed.
 * @param signs  the signs
 */
void why_signs_end(struct why_signs *signs);

/** Releases the readings. */
void why_signs_deinit(struct why_signs *signs);

#endif
