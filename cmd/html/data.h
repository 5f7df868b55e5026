/* SPDX-License-Identifier: MIT */
/** @file The figures of a report, for its script and for other programs. */
#ifndef CMD_HTML_DATA_H
#define CMD_HTML_DATA_H

#include "html/document.h"
#include "html/model.h"

/**
 * Writes the figures as JSON inside `<script type="application/json" id="data">`.
 *
 * @param document  receives the element
 * @param report    the report
 */
void html_data_put(struct html_document *document, const struct html_report *report);

#endif
