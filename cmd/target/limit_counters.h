/* SPDX-License-Identifier: MIT */
/**
 * @file What limits count, over time. Several processes can share a limit, so the usage of a limit
 * can grow while the memory of the process does not.
 */
#ifndef CMD_TARGET_LIMIT_COUNTERS_H
#define CMD_TARGET_LIMIT_COUNTERS_H

#include <stddef.h>

#include <procmem/headroom.h>
#include <procmem/series.h>

/** The usage of one limit over time. */
struct limit_counter {
	enum pm_limit_kind kind; /**< kind of the limit */
	char *source;            /**< pm_limit.source, owned */
	struct pm_series series; /**< used part of the limit without the reclaimable part */
};

/** The usage of the limits of a process over time. Zeroed before the first use. */
struct limit_counters {
	struct limit_counter *items; /**< one for each limit that was seen; owned */
	size_t count;                /**< number of elements of `items` */
};

/**
 * Adds the usage of each limit. If the process has had very many different limits, further limits
 * are left out.
 *
 * @param counters  receives the values
 * @param time      time of the values, in seconds; not before the time of the last call
 * @param headroom  the limits
 * @param error     PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int limit_counters_add(struct limit_counters *counters, double time,
                       const struct pm_headroom *headroom, struct pm_error *error);

/**
 * Releases the values.
 * @param counters  the values; empty afterwards
 */
void limit_counters_deinit(struct limit_counters *counters);

/**
 * Finds the usage of a limit.
 *
 * @param counters  the values
 * @param limit     the limit
 * @return          the series; NULL if no value was added for this limit
 */
const struct pm_series *limit_counters_find(const struct limit_counters *counters,
                                            const struct pm_limit *limit);

#endif
