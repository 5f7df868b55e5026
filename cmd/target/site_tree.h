/* SPDX-License-Identifier: MIT */
/** @file The sites of a recorded trace as the tree of stacks of an HTML report. */
#ifndef CMD_TARGET_SITE_TREE_H
#define CMD_TARGET_SITE_TREE_H

#include <stddef.h>

#include <procmem/site_list.h>

#include "html/model.h"

/** Maximum number of sites in a tree: those with the most bytes. The others are one function. */
enum { SITE_TREE_SITES_MAX = 2000 };

/** Maximum depth of a tree. Stacks that are deeper lose their innermost frames. */
enum { SITE_TREE_DEPTH_MAX = 100 };

/** A tree. */
struct site_tree {
	struct html_stacks stacks;    /**< the tree; without frames if no site has bytes */
	struct html_frame *frames;    /**< private: those of `stacks`, with their names; owned */
	struct site_tree_link *links; /**< private: of each frame; owned */
	size_t capacity;              /**< private: of both */
};

/**
 * Merges the stacks of a list from their outermost frames on. The widths are resident bytes or, if
 * no site has any, mapped bytes. Memory that was mapped before the trace, and that no code has
 * touched, is not part of the tree.
 *
 * @param tree  filled; release it with site_tree_deinit()
 * @param list  the list, as pm_recording_read_sites() returns it
 */
void site_tree_init(struct site_tree *tree, const struct pm_site_list *list);

/** Releases a tree. */
void site_tree_deinit(struct site_tree *tree);

#endif
