/* SPDX-License-Identifier: MIT */
/** @file Forecasts when a limit is reached. */
#ifndef CMD_HEADROOM_FORECAST_H
#define CMD_HEADROOM_FORECAST_H

#include <stdbool.h>

#include <procmem/headroom.h>
#include <procmem/trend.h>

#include "headroom/rates.h"

/** How long an amount lasts at a rate. */
struct headroom_time {
	bool known;     /**< the time is known */
	bool estimate;  /**< the time is an estimate, because the rate is an estimate */
	double seconds; /**< time until the amount is used up, in seconds */
	double rate;    /**< the rate, in units of the limit per second */
};

/** When a limit is reached. Zeroed if the usage of the limit was not measured. */
struct headroom_forecast {
	bool measured;             /**< the usage of the limit was measured over time */
	struct pm_trend trend;     /**< trend of the usage of the limit */
	struct headroom_time time; /**< time at the rate of the usage of the limit */
	/** Time at the rate of the memory of the process, for the memory of the machine. For
	 * address space an estimate, only if `time` is not known. */
	struct headroom_time by_process;
};

/**
 * Forecasts when a limit is reached.
 *
 * @param rates     the measured rates
 * @param limit     the limit
 * @param forecast  filled
 */
void headroom_forecast_make(const struct headroom_rates *rates, const struct pm_limit *limit,
                            struct headroom_forecast *forecast);

/**
 * Returns the time until a limit is reached. Without a known rate of its usage, this is the time at
 * the rate of the process, which is an estimate because the rate of other processes is not known.
 *
 * @param forecast  the forecast
 * @return          the time
 */
struct headroom_time headroom_forecast_time(const struct headroom_forecast *forecast);

#endif
