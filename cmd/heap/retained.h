/* SPDX-License-Identifier: MIT */
/** @file `heap --retained`: which variables, stacks and other roots hold the chunks in use. */
#ifndef CMD_HEAP_RETAINED_H
#define CMD_HEAP_RETAINED_H

#include "base/out.h"
#include "heap/options.h"
#include "view/list.h"

/** The columns of the list of roots. */
extern const struct list_spec heap_retained_spec;

/**
 * Copies the memory of a target, and prints which roots hold its chunks.
 *
 * @param word     the TARGET
 * @param options  the options
 * @param out      where to print
 * @param error    any
 * @return         1 if all chunks were read, 0 if not, -1 on error
 */
int heap_retained_print(const char *word, const struct heap_options *options, struct out *out,
                        struct pm_error *error);

#endif
