/* SPDX-License-Identifier: MIT */
/** @file The share of each kind now. */
#ifndef CMD_HTML_SHARE_H
#define CMD_HTML_SHARE_H

#include <stddef.h>

#include "html/document.h"
#include "html/model.h"

/**
 * Sorts shares by descending bytes.
 *
 * @param shares  the shares
 * @param count   number of them
 */
void html_share_sort(struct html_share *shares, size_t count);

/**
 * Returns the sum of all shares.
 *
 * @param report  the report
 * @return        bytes
 */
double html_share_sum(const struct html_report *report);

/**
 * Draws the share of each kind now, inside a section. Writes nothing if that is not known.
 *
 * @param document  receives the drawing
 * @param report    the report
 * @param whole     bytes for which the drawing has the width of the page: two drawings with the
 *                  same number have the same scale; if this is less than the sum, the sum is used
 */
void html_share_put(struct html_document *document, const struct html_report *report, double whole);

#endif
