/* SPDX-License-Identifier: MIT */
/** @file Times as people write them. Private. */
#ifndef PM_RECORDING_TIME_SPEC_H
#define PM_RECORDING_TIME_SPEC_H

#include <stdbool.h>
#include <stdint.h>

/**
 * A time in UTC. What is left out of it makes it longer: 12:00 is a whole minute. In nanoseconds
 * since 1970, or since midnight.
 */
struct pm_time_spec {
	bool dated;    /**< the day was said; where it was not, both count from midnight */
	int64_t from;  /**< when it begins */
	int64_t until; /**< its last nanosecond */
};

/** Nanoseconds of a day. */
#define PM_TIME_SPEC_DAY INT64_C(86400000000000)

/**
 * Reads a time: `2026-01-31T12:00`, also with a blank for the T, seconds, decimals of these and Z
 * behind; or 12:00 alone, with the same.
 *
 * @param text    the text
 * @param moment  filled
 * @return        false where it is no time
 */
bool pm_time_spec_parse(const char *text, struct pm_time_spec *moment);

/** Bytes of pm_time_spec_format() with the NUL. */
#define PM_MOMENT_TEXT_SIZE 32

/**
 * Writes the second that a time lies in, so that pm_time_spec_parse() takes it.
 * @param wall_ns since 1970
 * @param text gets it
 */
void pm_time_spec_format(int64_t wall_ns, char text[PM_MOMENT_TEXT_SIZE]);

#endif
