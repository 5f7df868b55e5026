/* SPDX-License-Identifier: MIT */
/** @file The marks of the axes of a chart: sizes in binary units, and local times. */
#ifndef CMD_HTML_AXIS_H
#define CMD_HTML_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/**
 * Returns the distance of the marks of a size axis.
 *
 * @param max  the largest size on the axis, in bytes; at least 1
 * @return     a power of two, so that there are 3 to 6 marks above 0; at least 1
 */
double html_axis_size_step(double max);

/**
 * Adds the label of a mark, exactly: "0", "96M", "1.5G", "1.25T".
 *
 * @param text   receives the label
 * @param bytes  a multiple of the step
 * @param max    the largest size on the axis: all labels have its unit
 */
void html_axis_put_size(struct text *text, double bytes, double max);

/** The time axis. */
struct html_axis_times {
	int64_t start;  /**< time of its start, in seconds since 1970 (UTC), rounded down */
	double past;    /**< fraction of a second that was rounded */
	double seconds; /**< its length in seconds */
	int64_t step;   /**< distance of the marks in seconds */
	bool dated;     /**< it covers more than one day of local time */
};

/**
 * Finds the marks of a time axis: there are at most 8.
 *
 * @param axis     filled
 * @param start    time of its start, in seconds since 1970 (UTC); may have any value
 * @param seconds  its length in seconds, finite
 */
void html_axis_init_times(struct html_axis_times *axis, double start, double seconds);

/**
 * Returns the first mark.
 *
 * @param axis  the axis
 * @return      its time in seconds since the start of the axis: a whole multiple of the step in
 *              local time; may be longer than the axis
 */
double html_axis_first_time(const struct html_axis_times *axis);

/**
 * Returns the number of marks.
 * @param axis  the axis
 * @return      at most 8
 */
size_t html_axis_count_times(const struct html_axis_times *axis);

/**
 * Adds the time of day of a mark: "16:00" or "16:00:10"; nothing if the marks are days.
 *
 * @param axis  the axis
 * @param at    seconds since the start of the axis
 * @param text  receives the label
 */
void html_axis_put_time(const struct html_axis_times *axis, double at, struct text *text);

/**
 * Adds the date: "24 Nov".
 *
 * @param axis  the axis
 * @param at    seconds since the start of the axis
 * @param text  receives the label
 */
void html_axis_put_date(const struct html_axis_times *axis, double at, struct text *text);

/**
 * Returns the difference between local time and UTC.
 *
 * @param time  seconds since 1970 (UTC)
 * @return      seconds that local time is ahead
 */
int64_t html_axis_offset(int64_t time);

#endif
