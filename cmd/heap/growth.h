/* SPDX-License-Identifier: MIT */
/** @file `heap --growth`: the chunks that were allocated and not freed in some time. */
#ifndef CMD_HEAP_GROWTH_H
#define CMD_HEAP_GROWTH_H

#include "base/out.h"
#include "heap/options.h"

/**
 * Reads the heap of a process three times, and prints the classes of chunks that survived.
 *
 * @param word     the TARGET
 * @param options  the options, with `growth`
 * @param out      where to print
 * @param error    any; PM_ERROR_CANCELLED after Ctrl-C
 * @return         1 if all walks were complete, 0 if not, -1 on error
 */
int heap_growth_print(const char *word, const struct heap_options *options, struct out *out,
                      struct pm_error *error);

#endif
