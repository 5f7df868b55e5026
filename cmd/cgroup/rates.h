/* SPDX-License-Identifier: MIT */
/** @file What the parts of cgroups do over time, and when limits are reached. */
#ifndef CMD_CGROUP_RATES_H
#define CMD_CGROUP_RATES_H

#include <stdbool.h>

#include <procmem/cgroup_levels.h>
#include <procmem/series.h>
#include <procmem/trend.h>

#include "target/forecast.h"
#include "target/limit_counters.h"

/** Maximum number of limits of a level: memory.max and memory.high. */
enum { CGROUP_LIMITS_MAX = 2 };

/** A limit of a level. */
struct cgroup_limit {
	struct pm_limit limit;
	struct forecast forecast; /**< when it is reached */
};

/** A counter over time. */
struct cgroup_counter {
	uint64_t samples;  /**< number of samples */
	uint64_t first;    /**< value of the first sample */
	double first_time; /**< time of the first sample, in seconds */
	uint64_t last;     /**< value of the last sample */
	double last_time;  /**< time of the last sample, in seconds */
};

/** One level over time. */
struct cgroup_level_rates {
	char *folder;                                  /**< directory of the level; owned */
	struct pm_series parts[PM_CGROUP_PARTS];       /**< sizes of the parts */
	struct pm_trend trends[PM_CGROUP_PARTS];       /**< trends of `parts` */
	struct pm_series usage;                        /**< usage of the level */
	struct pm_trend usage_trend;                   /**< trend of `usage` */
	struct cgroup_limit limits[CGROUP_LIMITS_MAX]; /**< the limits */
	size_t limit_count;                            /**< number of elements of `limits` */
	struct cgroup_counter hits;                    /**< how often memory.max was reached */
	struct cgroup_counter refaults; /**< pages that were needed again after reclaim */
};

/** All levels over time. Zeroed before the first use. */
struct cgroup_rates {
	bool known;                       /**< the levels were measured over time (--for) */
	struct cgroup_level_rates *items; /**< one for each level, in their order; owned */
	size_t count;                     /**< number of levels */
	struct limit_counters counters;   /**< usage of the limits */
};

/**
 * Adds a sample. A level that was not in the first sample is left out.
 *
 * @param rates   receives the sample
 * @param time    time of the sample, in seconds; not before that of the last sample
 * @param levels  the levels
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int cgroup_rates_add(struct cgroup_rates *rates, double time, const struct pm_cgroup_levels *levels,
                     struct pm_error *error);

/**
 * Judges all series, and forecasts when limits are reached. Fills the limits also if nothing was
 * measured over time.
 *
 * @param rates   the rates
 * @param levels  the levels now, in the order of the first sample
 */
void cgroup_rates_judge(struct cgroup_rates *rates, const struct pm_cgroup_levels *levels);

/**
 * Returns the limit of a level that is reached first or, if this is not known, that has the least
 * left.
 *
 * @param rates  the rates of the level
 * @return       the limit; NULL if the level has none
 */
const struct cgroup_limit *cgroup_rates_first(const struct cgroup_level_rates *rates);

/**
 * Returns the rate of a counter.
 *
 * @param counter  the counter
 * @return         per second; 0 if it is not known, because there are too few samples, or because
 *                 the counter has fallen
 */
double cgroup_rates_of_counter(const struct cgroup_counter *counter);

/**
 * Finds the part that grows most.
 *
 * @param rates  the rates of a level
 * @param part   receives the part
 * @return       the rate in bytes per second; 0 if no part grows
 */
double cgroup_rates_growing(const struct cgroup_level_rates *rates, enum pm_cgroup_part *part);

/**
 * Releases the rates.
 * @param rates  the rates, or zeroed
 */
void cgroup_rates_deinit(struct cgroup_rates *rates);

#endif
