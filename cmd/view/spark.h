/* SPDX-License-Identifier: MIT */
/** @file A curve of values over time in one line of characters. */
#ifndef CMD_VIEW_SPARK_H
#define CMD_VIEW_SPARK_H

#include <stdbool.h>

#include <procmem/trend.h>

#include "base/text.h"

/**
 * Adds a curve. Each character covers the same time; its height is the value at the end of that
 * time. The highest value has full height. Values that differ by less than 32 KiB have nearly the
 * same height. Times before the first point are spaces.
 *
 * @param text    receives the curve
 * @param series  the values
 * @param from    start of the first character, in seconds
 * @param to      end of the last character, in seconds
 * @param width   maximum number of characters; there are fewer if there are fewer values
 * @param ascii   whether to use ASCII characters only
 */
void spark_add(struct text *text, const struct pm_series *series, double from, double to,
               size_t width, bool ascii);

#endif
