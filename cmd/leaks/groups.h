/* SPDX-License-Identifier: MIT */
/** @file Lost chunks of equal size and type as a list. */
#ifndef CMD_LEAKS_GROUPS_H
#define CMD_LEAKS_GROUPS_H

#include <procmem/leaks.h>

#include "view/list.h"

/** The columns of groups. */
extern const struct list_spec leaks_groups_spec;

/** Which groups are listed. */
struct leaks_filter {
	uint64_t size_min; /**< minimum size of a chunk in bytes, with its header */
	bool direct;       /**< count direct chunks only */
	bool by_total;     /**< show and sort by what was lost through the direct chunks */
};

/** A list of groups. */
struct leaks_groups {
	struct list_spec spec;     /**< the columns */
	struct list list;          /**< the groups */
	struct pm_leak_group *own; /**< copies of the groups that are listed; owned */
	size_t count;              /**< number of elements of `own` */
};

/**
 * Makes the sorted list of groups.
 *
 * @param groups   filled; release with leaks_groups_deinit(), even on failure
 * @param leaks    all lost chunks; must outlive the groups
 * @param filter   which groups are listed
 * @param options  how to print the list
 * @param bytes    sizes in bytes
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int leaks_groups_init(struct leaks_groups *groups, const struct pm_leaks *leaks,
                      const struct leaks_filter *filter, const struct list_options *options,
                      bool bytes, struct pm_error *error);

/**
 * Prints the groups of which most direct chunks have lost other chunks, those with the most bytes
 * first: a line for each of the first of them.
 *
 * @param leaks  all lost chunks
 * @param bytes  sizes in bytes
 * @param out    receives the lines
 */
void leaks_groups_print_structures(const struct pm_leaks *leaks, bool bytes, struct out *out);

/**
 * Releases a list of groups.
 * @param groups  the groups
 */
void leaks_groups_deinit(struct leaks_groups *groups);

#endif
