/* SPDX-License-Identifier: MIT */
/** @file Small drawings in the cells of tables. */
#ifndef CMD_HTML_SPARK_H
#define CMD_HTML_SPARK_H

#include "html/document.h"
#include "html/model.h"

/**
 * Draws a series as a line from 0, without words: the cells beside it have the figures.
 *
 * @param document  receives the drawing, inside a cell
 * @param series    the series; NULL or empty: a constant
 * @param from      time of the first sample, as in the series
 * @param to        time of the last sample
 */
void html_spark_put(struct html_document *document, const struct pm_series *series, double from,
                    double to);

/**
 * Draws values as a line from 0.
 *
 * @param text    receives the drawing
 * @param times   time of each value, ascending
 * @param values  the values
 * @param count   number of values
 */
void html_spark_put_values(struct text *text, const double *times, const uint64_t *values,
                           size_t count);

/**
 * Draws a change as a bar from a middle line: growth to the right, the contrary to the left.
 *
 * @param document  receives the drawing, inside a cell
 * @param change    bytes
 * @param max       largest amount of a change in the table, in bytes
 */
void html_spark_put_bar(struct html_document *document, int64_t change, uint64_t max);

#endif
