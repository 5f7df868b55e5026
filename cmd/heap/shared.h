/* SPDX-License-Identifier: MIT */
/** @file With which roots a root shares chunks: the lines below a root in `heap --retained`. */
#ifndef CMD_HEAP_SHARED_H
#define CMD_HEAP_SHARED_H

#include <procmem/retained.h>

#include "base/out.h"
#include "heap/options.h"

/** What the lines are made from. */
struct heap_shared {
	const struct heap_options *options; /**< options of the user */
	const struct pm_retained *retained; /**< what the roots hold */
	const struct pm_root *roots;        /**< the roots, as in pm_graph_roots() */
};

/**
 * Returns whether a set contains a root.
 * @param set   the set
 * @param root  index in pm_retained.roots
 */
bool heap_shared_has_root(const struct pm_retained_set *set, size_t root);

/**
 * Prints what only a root would hold without a few words of other roots. Then prints the sets of
 * roots to which it belongs, if it is the largest root of the set. Without --all, only the largest
 * sets.
 *
 * @param shared  what the lines are made from
 * @param index   the root: index in pm_retained.roots
 * @param out     receives the lines
 */
void heap_shared_print(const struct heap_shared *shared, size_t index, struct out *out);

#endif
