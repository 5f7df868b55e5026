/* SPDX-License-Identifier: MIT */
/** @file Changes of sizes, rates, times and durations as text. */
#ifndef CMD_BASE_DELTA_H
#define CMD_BASE_DELTA_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/error.h>

#include "base/out.h"
#include "base/text.h"

/**
 * Adds the change of a size with its sign, such as "+498.0M". If there is no change, adds "-".
 *
 * @param text   receives the change
 * @param delta  the change in bytes
 * @param bytes  true to write the exact number of bytes; no change is then written as "0"
 */
void delta_put_bytes(struct text *text, int64_t delta, bool bytes);

/**
 * Adds a rate, such as "+1.9M/s". Small rates are given per minute, hour or day. A rate that rounds
 * to 0 bytes per day is written as "-".
 *
 * @param text  receives the rate
 * @param rate  bytes per second, of either sign
 */
void delta_put_rate(struct text *text, double rate);

/** The units of rates. */
enum delta_rate_unit { DELTA_PER_SECOND, DELTA_PER_MINUTE, DELTA_PER_HOUR, DELTA_PER_DAY };

/**
 * Returns the unit in which delta_put_rate() writes a rate.
 * @param rate  bytes per second, of either sign
 */
enum delta_rate_unit delta_rate_unit(double rate);

/**
 * Adds a rate in a unit, so that all rates of a column have the same one. A rate that rounds to 0
 * bytes is written as "-".
 *
 * @param text  receives the rate
 * @param rate  bytes per second, of either sign
 * @param unit  the unit
 */
void delta_put_rate_in(struct text *text, double rate, enum delta_rate_unit unit);

/**
 * Adds a time in UTC, as in ISO 8601, with milliseconds.
 *
 * @param text     receives the time
 * @param wall_ns  nanoseconds since 1970
 */
void delta_put_time(struct text *text, int64_t wall_ns);

/**
 * Returns the style in which a change is printed.
 *
 * @param delta  the change
 * @return       OUT_GROWN if the change is positive, OUT_LESS if it is negative, OUT_PLAIN if it is
 *               0
 */
enum out_style delta_style(int64_t delta);

/**
 * Parses a duration: `30`, `30s`, `1.5m`, `2h`, `7d`.
 *
 * @param text     the text
 * @param seconds  receives the duration, more than 0
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int delta_parse_duration(const char *text, double *seconds, struct pm_error *error);

/**
 * Adds the time that is left, between two bounds: "about 38m", or "30m to 45m". It is rounded, down
 * and up, as no rate is so exact that more digits are true.
 *
 * @param from  seconds at the earliest
 * @param to    seconds at the latest
 * @param text  receives the words
 */
void delta_put_time_left(double from, double to, struct text *text);

#endif
