/* SPDX-License-Identifier: MIT */
/** @file Draws the tree of stacks. */
#ifndef CMD_HTML_ICICLE_H
#define CMD_HTML_ICICLE_H

#include "html/document.h"
#include "html/model.h"

/**
 * Draws the tree of stacks, inside a section. Writes nothing if that is not known.
 *
 * @param document  receives the drawing
 * @param stacks    the tree
 */
void html_icicle_put(struct html_document *document, const struct html_stacks *stacks);

#endif
