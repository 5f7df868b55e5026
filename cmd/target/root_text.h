/* SPDX-License-Identifier: MIT */
/** @file Roots of the graph of chunks as text and as JSON. */
#ifndef CMD_TARGET_ROOT_TEXT_H
#define CMD_TARGET_ROOT_TEXT_H

#include <procmem/graph.h>

#include "base/text.h"
#include "view/json.h"

/**
 * Adds what a root is, such as "global g_cache in /usr/bin/shop" or "stack of thread 4711 worker".
 * The text is escaped.
 *
 * @param root    the root
 * @param offset  offset in the root in bytes, which is added if it is not 0; for registers, 8 times
 *                the position of the register
 * @param text    receives the words
 */
void root_text(const struct pm_root *root, uint64_t offset, struct text *text);

/**
 * Writes the members `kind`, `symbol`, `module` and `thread` of a root.
 *
 * @param root  the root
 * @param json  the output
 */
void root_text_json(const struct pm_root *root, struct json *json);

#endif
