/* SPDX-License-Identifier: MIT */
/** @file FILL rates.c */
#ifndef CMD_HEADROOM_RATES_H
#define CMD_HEADROOM_RATES_H

#include "headroom/headroom.h"

/**
 * Releases rates.
 * @param rates as measured, or zeroed
 */
void headroom_rates_deinit(struct headroom_rates *rates);

/**
 * How long a limit lasts at the rate that was seen.
 *
 * @param rates    the rates
 * @param limit    the limit
 * @param trend    where to store what was seen of what it bounds
 * @param seconds  where to store how long it lasts
 * @return         true where that grows steadily
 */
bool headroom_rates_lasts(const struct headroom_rates *rates, const struct pm_limit *limit,
                          struct pm_trend *trend, double *seconds);

/**
 * Measures the rates.
 *
 * @param rates    filled; release with headroom_rates_deinit()
 * @param process  the process
 * @param options  for how long, or which recording
 * @param error    what went wrong
 * @return         0 or -1
 */
int headroom_rates_measure(struct headroom_rates *rates, struct pm_process *process,
                           const struct headroom_options *options, struct pm_error *error);

#endif
