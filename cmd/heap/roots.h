/* SPDX-License-Identifier: MIT */
/** @file The roots that hold chunks as text, for the table of `heap --retained`. */
#ifndef CMD_HEAP_ROOTS_H
#define CMD_HEAP_ROOTS_H

#include <procmem/graph.h>

#include "base/text.h"

/** What the lost chunks have instead of the name of a root. */
#define HEAP_ROOT_NOTHING "nothing"

/** The row of the lost chunks in the table. */
#define HEAP_ROOT_NOTHING_ROW HEAP_ROOT_NOTHING " (possibly lost; see procmem leaks)"

/**
 * Adds the name of a root: the demangled name of a variable, "stack of 4712 worker", or what else
 * is known about the memory.
 *
 * @param root  the root
 * @param text  receives the name, unescaped
 */
void heap_roots_name(const struct pm_root *root, struct text *text);

/**
 * Adds the name of a root and where it is: "g_cache  (global, shop)".
 *
 * @param root  the root
 * @param text  receives the words, unescaped
 */
void heap_roots_put(const struct pm_root *root, struct text *text);

#endif
