/* SPDX-License-Identifier: MIT */
/** @file The call stacks of a recording as a tree, for the HTML report. */
#ifndef CMD_WHY_HTML_STACKS_H
#define CMD_WHY_HTML_STACKS_H

#include <procmem/site_list.h>

#include "base/text.h"
#include "html/model.h"

/**
 * Makes the tree of the memory that was mapped during a trace and is still there, the outermost
 * functions first.
 *
 * @param sites   the sites; must outlive the tree
 * @param stacks  filled; its frames are released with free(). Without frames if there is nothing
 */
void why_html_stacks_make(const struct pm_site_list *sites, struct html_stacks *stacks);

/**
 * Adds who mapped most of the memory: "172.0M of 173.1M that were mapped during the trace are of
 * Cache.store". Adds nothing if no function has half of it.
 *
 * @param sites  the sites
 * @param text   receives the words
 */
void why_html_stacks_put_first(const struct pm_site_list *sites, struct text *text);

#endif
