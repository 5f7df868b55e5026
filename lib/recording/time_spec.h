/* SPDX-License-Identifier: MIT */
/** @file Parses and formats points in time as the user enters them. Private. */
#ifndef PM_RECORDING_TIME_SPEC_H
#define PM_RECORDING_TIME_SPEC_H

#include <stdbool.h>
#include <stdint.h>

/**
 * A time in UTC, as an interval. The length of the interval depends on the precision of the text:
 * 12:00 means the whole minute. Both ends are in nanoseconds since 1970 or, if the time has no
 * date, since midnight.
 */
struct pm_time_spec {
	bool dated;    /**< the time has a date */
	int64_t from;  /**< first nanosecond of the interval */
	int64_t until; /**< last nanosecond of the interval */
};

/**
 * Parses a time such as `2026-01-31T12:00`. The date may be missing. The T may be a space. Seconds,
 * decimals of a second, and a Z at the end are optional.
 *
 * @param text  the text
 * @param time  filled on success
 * @return      false if the text is not a time
 */
bool pm_time_spec_parse(const char *text, struct pm_time_spec *time);

/**
 * Adds a date to a time that has none: the date of the last sample or of the day before. The day
 * before is used only if two conditions are met: on the day of the last sample, the time would be
 * after the last sample; and on the day before, it would not be before the first sample.
 *
 * @param time   the time; unchanged if the times of the samples are invalid
 * @param first  time of the first sample, in nanoseconds since 1970
 * @param last   time of the last sample, in nanoseconds since 1970
 */
void pm_time_spec_add_date(struct pm_time_spec *time, int64_t first, int64_t last);

/** Size of the buffer for pm_time_spec_format(), in bytes, including the NUL. */
#define PM_TIME_SPEC_TEXT_SIZE 32

/**
 * Formats a time, rounded down to a second, in a form that pm_time_spec_parse() accepts.
 *
 * @param wall_ns  nanoseconds since 1970
 * @param text     receives the text; "" if the time cannot be represented as a date
 */
void pm_time_spec_format(int64_t wall_ns, char text[PM_TIME_SPEC_TEXT_SIZE]);

#endif
