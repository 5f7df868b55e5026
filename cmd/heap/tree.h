/* SPDX-License-Identifier: MIT */
/** @file Through which chunks a root holds memory: `heap --retained --tree`. */
#ifndef CMD_HEAP_TREE_H
#define CMD_HEAP_TREE_H

#include <procmem/error.h>

#include "base/out.h"
#include "heap/options.h"
#include "view/list.h"

/** The columns of the tree. */
extern const struct list_spec heap_tree_spec;

/**
 * Copies the memory of a target, and prints through which chunks a root holds others.
 *
 * @param word     the TARGET
 * @param options  the options, with `tree`
 * @param out      the output
 * @param error    any; PM_ERROR_USAGE if there is no such root, or if there are several
 * @return         1 if all chunks are known; 0 if the walk is incomplete; -1 on an error
 */
int heap_tree_print(const char *word, const struct heap_options *options, struct out *out,
                    struct pm_error *error);

#endif
