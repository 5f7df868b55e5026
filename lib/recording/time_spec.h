/* SPDX-License-Identifier: MIT */
/** @file Points in time as a user writes them. Private. */
#ifndef PM_RECORDING_TIME_SPEC_H
#define PM_RECORDING_TIME_SPEC_H

#include <stdbool.h>
#include <stdint.h>

/**
 * A time in UTC. Its length depends on the precision: 12:00 is a whole minute. Nanoseconds since
 * 1970, or since midnight.
 */
struct pm_time_spec {
	bool dated;    /**< has a date; without one both times are relative to midnight */
	int64_t from;  /**< first nanosecond */
	int64_t until; /**< last nanosecond */
};

/**
 * Parses a time: `2026-01-31T12:00`, optionally with a space instead of the T, with seconds,
 * decimals of these, and Z at the end. The date may be missing.
 *
 * @param text  the text
 * @param time  filled on success
 * @return      false if the text is not a time
 */
bool pm_time_spec_parse(const char *text, struct pm_time_spec *time);

/**
 * Adds a date to a time without one: that of the last sample, or the day before if only that is
 * within the recording.
 *
 * @param time   the time; unchanged if the samples have times that no clock shows
 * @param first  time of the first sample, in nanoseconds since 1970
 * @param last   time of the last sample
 */
void pm_time_spec_add_date(struct pm_time_spec *time, int64_t first, int64_t last);

/** Bytes of the text that pm_time_spec_format() writes, with the NUL. */
#define PM_TIME_SPEC_TEXT_SIZE 32

/**
 * Formats the second that contains a time, in a form that pm_time_spec_parse() accepts.
 *
 * @param wall_ns  nanoseconds since 1970
 * @param text     receives the text; "" if the time has no date that can be written
 */
void pm_time_spec_format(int64_t wall_ns, char text[PM_TIME_SPEC_TEXT_SIZE]);

#endif
