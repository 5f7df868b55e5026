/* SPDX-License-Identifier: MIT */
/** @file Draws memory by kind over time. */
#ifndef CMD_HTML_TIMELINE_H
#define CMD_HTML_TIMELINE_H

#include "html/document.h"
#include "html/model.h"

/**
 * Draws memory by kind over time, inside a section. Writes nothing if that is not known.
 *
 * @param document  receives the drawing
 * @param report    the report
 */
void html_timeline_put(struct html_document *document, const struct html_report *report);

#endif
