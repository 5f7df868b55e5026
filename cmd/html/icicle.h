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

/** Number of shades of the colour of a kind of code. */
enum { HTML_ICICLE_SHADES = 4 };

/**
 * Returns the shade of a function. Functions with equal names have equal shades.
 *
 * @param name    the name, any bytes
 * @param length  number of bytes
 * @return        less than HTML_ICICLE_SHADES
 */
unsigned html_icicle_shade(const char *name, size_t length);

/**
 * Returns what a kind of code is called in a legend.
 * @param code  less than HTML_CODE_COUNT
 * @return      such as "system libraries"
 */
const char *html_icicle_code(enum html_code code);

#endif
