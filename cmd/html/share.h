/* SPDX-License-Identifier: MIT */
/** @file Draws the share of each kind now. */
#ifndef CMD_HTML_SHARE_H
#define CMD_HTML_SHARE_H

#include "html/document.h"
#include "html/model.h"

/**
 * Draws the share of each kind now, inside a section. Writes nothing if that is not known.
 *
 * @param document  receives the drawing
 * @param report    the report
 */
void html_share_put(struct html_document *document, const struct html_report *report);

#endif
