/* SPDX-License-Identifier: MIT */
/** @file Measures which memory a process touches. */
#ifndef CMD_STALE_MEASURE_H
#define CMD_STALE_MEASURE_H

#include "stale/stale.h"

/**
 * Reads the regions, checks that the process may be measured, says what the measurement changes,
 * and measures. If the process ends, or the user interrupts, the results are those of the readings
 * until then.
 *
 * @param report  with `options` and `process`; filled. Release with stale_measure_deinit(), also on
 *                failure
 * @param error   PM_ERROR_RESOURCES if the process is too large to be measured without --yes;
 *                errors of pm_stale_open() and pm_stale_clear(); PM_ERROR_GONE if the process ended
 *                before there was a result
 * @return        0; 1 if no region is selected (`error` is set); -1 on errors
 */
int stale_measure(struct stale_report *report, struct pm_error *error);

/**
 * Releases the results.
 * @param report  as filled by stale_measure(), or zeroed
 */
void stale_measure_deinit(struct stale_report *report);

#endif
