/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Forecasts when a limit is reached. The time comes from what the limit itself counts. Other
 * processes can share a limit, so the growth of one process gives only an estimate.
 */
#ifndef CMD_TARGET_FORECAST_H
#define CMD_TARGET_FORECAST_H

#include <stdbool.h>

#include <procmem/headroom.h>
#include <procmem/trend.h>

#include "target/limit_counters.h"

/** What was measured over time. Nothing is owned. */
struct forecast_source {
	const struct limit_counters *counters; /**< usage of each limit */
	const struct pm_series *memory;        /**< resident and swapped bytes of the process */
	const struct pm_series *size;          /**< bytes of address space of the process */
	const struct pm_trend *memory_trend;   /**< trend of `memory` */
	/**
	 * Trend of the memory of the process that the kernel cannot drop: anonymous, shared and
	 * swapped bytes. Limits of memory are forecast from it. If NULL, `memory_trend` is used.
	 */
	const struct pm_trend *kept_trend;
	/**
	 * The same without shared bytes, for limits of cgroups, if the shared memory of the process
	 * grows but is not charged to its cgroup; otherwise NULL
	 */
	const struct pm_trend *charged_trend;
	const struct pm_trend *threads_trend; /**< trend of the number of threads of the process */
	/** Trend of a region that grows although the process does not; zeroed if there is none. */
	const struct pm_trend *beneath_trend;
};

/** How long an amount lasts at a rate. */
struct forecast_time {
	bool known;      /**< the time is known */
	bool estimate;   /**< the time is an estimate */
	bool by_process; /**< the rate is that of the process, not that of the usage of the limit;
	                    set by forecast_time() */
	bool beneath; /**< the rate is that of a region that grows although the process does not */
	double seconds; /**< time until the amount is used up, in seconds */
	double rate;    /**< the rate, in units of the limit per second */
};

/** When a limit is reached. A zeroed struct contains no time. */
struct forecast {
	bool measured;             /**< the usage of the limit was measured over time */
	bool foreign;              /**< other processes use up the limit: it restricts threads of
	                              all processes of the machine or the user, less than 90 %
	                              are used, and the process starts no further threads */
	struct pm_trend trend;     /**< trend of the usage of the limit; zeroed if not measured */
	struct forecast_time time; /**< time at the rate of the usage of the limit */
	/**
	 * Time at the rate of the process. For the memory of the machine, it is always computed.
	 * For limits of cgroups, of address space and of threads, it is computed only if `time` is
	 * not known. `estimate` is set if the rate of the process is an estimate.
	 */
	struct forecast_time by_process;
	/**
	 * Time until the peaks of memory that rises and falls reach the limit, at the rate of the
	 * region that grows although the process does not: always an estimate. Computed for limits
	 * of memory if neither `time` nor `by_process` is known.
	 */
	struct forecast_time beneath;
};

/**
 * Forecasts when a limit is reached. If its used part contains garbage (pm_limit_has_garbage()),
 * the time is known only for the old space of V8, and only if collections were seen: an estimate
 * from what they left.
 *
 * @param source    what was measured
 * @param limit     the limit
 * @param forecast  filled
 */
void forecast_make(const struct forecast_source *source, const struct pm_limit *limit,
                   struct forecast *forecast);

/**
 * Computes forecast.beneath again. Call it if source->beneath_trend has changed since
 * forecast_make().
 *
 * @param source    what was measured
 * @param limit     the limit
 * @param forecast  as filled by forecast_make(); updated
 */
void forecast_set_beneath(const struct forecast_source *source, const struct pm_limit *limit,
                          struct forecast *forecast);

/**
 * Returns the time until a limit is reached. Without a known rate of its usage, this is the time at
 * the rate of the process, which is an estimate because the rate of other processes is not known.
 * Without this rate, too, it is the time at the rate of a region that grows although the process
 * does not.
 *
 * @param forecast  the forecast
 * @return          the time
 */
struct forecast_time forecast_time(const struct forecast *forecast);

/**
 * Returns the trend of the quantity of the process that uses up a limit: its memory or, for limits
 * on threads, the number of its threads. The rate of forecast.by_process is that of this trend.
 *
 * @param source  what was measured
 * @param limit   the limit
 * @return        the trend
 */
const struct pm_trend *forecast_process_trend(const struct forecast_source *source,
                                              const struct pm_limit *limit);

#endif
