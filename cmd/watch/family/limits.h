/* SPDX-License-Identifier: MIT */
/**
 * @file The memory limits that the processes of a family share: that of a cgroup, and the memory of
 * the machine. Those of the first process that runs are read.
 */
#ifndef CMD_WATCH_FAMILY_LIMITS_H
#define CMD_WATCH_FAMILY_LIMITS_H

#include <procmem/kills.h>

#include "view/json.h"
#include "watch/family/members.h"

/** The limits. Zeroed before the first use. */
struct family_limits {
	struct pm_process *process; /**< the process whose limits are read; NULL if there is none */
	uint64_t id;                /**< its number, family_member.id */
	struct pm_kills *kills;     /**< counts the OOM kills in its cgroup; NULL if unknown */
	uint64_t killed;            /**< number of OOM kills at the last sample */
	double due;                 /**< time when the limits are read again, as pm_sample.time */
	/**
	 * The limits, what they count, and forecasts. `memory` is the memory of the family that
	 * uses up limits: without the growth of mapped files, which can be reclaimed. NULL before
	 * the limits were read; owned.
	 */
	struct watch_history *history;
};

/**
 * Reads the limits, unless they were read a short time ago. If they cannot be read, there are none.
 *
 * @param limits   the limits
 * @param family   the family
 * @param members  its processes, after a sample
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int family_limits_read(struct family_limits *limits, const struct pm_family *family,
                       const struct family_members *members, struct pm_error *error);

/**
 * Returns the number of processes that the kernel has killed in the cgroup since the last call.
 * @param limits  the limits
 * @return        the number; 0 also if it is not known
 */
uint64_t family_limits_count_kills(struct family_limits *limits);

/**
 * Adds the limit that is reached first, with the time until it is reached or, if that is not known,
 * with the amount that is left: "limit 512.0M: full in 7m 40s". Adds nothing if there is no limit.
 *
 * @param limits  the limits
 * @param bytes   true: print sizes in bytes; false: with units
 * @param text    receives the limit
 */
void family_limits_describe(const struct family_limits *limits, bool bytes, struct text *text);

/**
 * Returns the time until the limit that family_limits_describe() names is reached.
 * @param limits   the limits
 * @param seconds  receives the time from now on
 * @return         whether the time is known
 */
bool family_limits_time(const struct family_limits *limits, double *seconds);

/**
 * Writes `first_limit`, the limit that is reached first.
 *
 * @param limits  the limits; nothing is written if there is no limit
 * @param json    the output, within an object
 */
void family_limits_json(const struct family_limits *limits, struct json *json);

/**
 * Releases the limits.
 * @param limits  the limits, or zeroed; zeroed afterwards
 */
void family_limits_deinit(struct family_limits *limits);

#endif
