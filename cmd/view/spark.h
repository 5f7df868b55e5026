/* SPDX-License-Identifier: MIT */
/** @file Values over time as one line of characters: how a size came to be what it is. */
#ifndef CMD_VIEW_SPARK_H
#define CMD_VIEW_SPARK_H

#include <stdbool.h>

#include <procmem/trend.h>

#include "base/text.h"

/**
 * Adds a curve: a character for each of equal times, as high as the value at its end. The highest
 * value fills a line; what differs by less than 32 KiB is nearly as high. Times before the first
 * point are blanks.
 *
 * @param text    gets it
 * @param series  the values
 * @param from    where the first character begins
 * @param to      where the last one ends
 * @param width   how many characters; fewer where there are fewer values
 * @param ascii   only characters of ASCII
 */
void spark_add(struct text *text, const struct pm_series *series, double from, double to,
               size_t width, bool ascii);

#endif
