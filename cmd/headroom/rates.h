/* SPDX-License-Identifier: MIT */
/**
 * @file Measures how fast the limited quantities grow: memory, address space, and the numbers of
 * regions and threads.
 */
#ifndef CMD_HEADROOM_RATES_H
#define CMD_HEADROOM_RATES_H

#include "headroom/headroom.h"

/**
 * Releases rates.
 * @param rates as filled by headroom_rates_measure(), or zeroed
 */
void headroom_rates_deinit(struct headroom_rates *rates);

/**
 * Computes the time until a limit is reached at the measured rate.
 *
 * @param rates    the rates
 * @param limit    the limit
 * @param trend    receives the trend of the limited quantity; zeroed if the quantity was not
 *                 measured
 * @param seconds  receives the time until the limit is reached, in seconds; unchanged if the result
 *                 is false
 * @return         true if the quantity grows steadily, so that the time is known
 */
bool headroom_rates_lasts(const struct headroom_rates *rates, const struct pm_limit *limit,
                          struct pm_trend *trend, double *seconds);

/**
 * Measures the rates: reads the recording of --from, or takes samples for the time of --for.
 * Without these options, no rate is measured.
 *
 * @param rates    filled; release with headroom_rates_deinit()
 * @param process  the process
 * @param options  options with the duration or the recording
 * @param error    PM_ERROR_GONE, PM_ERROR_USAGE, errors of recordings
 * @return         0 or -1
 */
int headroom_rates_measure(struct headroom_rates *rates, struct pm_process *process,
                           const struct headroom_options *options, struct pm_error *error);

#endif
