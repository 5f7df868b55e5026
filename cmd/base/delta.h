/* SPDX-License-Identifier: MIT */
/** @file Numbers with a sign: how much something changed, and how fast. */
#ifndef CMD_BASE_DELTA_H
#define CMD_BASE_DELTA_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/error.h>

#include "base/out.h"
#include "base/text.h"

/**
 * Adds a change of a size: "+498.0M", "-" for none.
 *
 * @param text   gets it
 * @param delta  the change in bytes
 * @param bytes  as an exact integer
 */
void delta_put_bytes(struct text *text, int64_t delta, bool bytes);

/**
 * Adds a rate: "+1.9M/s", in the unit of time that needs no tiny numbers; "-" for none. @param text
 * gets it
 * @param rate bytes a second
 */
void delta_put_rate(struct text *text, double rate);

/**
 * Adds a time in UTC by ISO 8601.
 * @param text gets it
 * @param wall_ns nanoseconds since 1970
 */
void delta_put_time(struct text *text, int64_t wall_ns);

/**
 * Style of something that changed by so much.
 * @param delta the change
 * @return OUT_GROWN, OUT_LESS or OUT_PLAIN
 */
enum out_style delta_style(int64_t delta);

/**
 * Parses a duration: `30`, `30s`, `1.5m`, `2h`, `7d`.
 *
 * @param text     the text
 * @param seconds  where to store it
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int delta_parse_duration(const char *text, double *seconds, struct pm_error *error);

#endif
