/* SPDX-License-Identifier: MIT */
/** @file Regions summed up by what they have in common, for `map --by`. */
#ifndef CMD_TARGET_GROUP_H
#define CMD_TARGET_GROUP_H

#include <procmem/region.h>

#include "view/list.h"

/** What groups have in common. */
enum group_by {
	GROUP_BY_NOTHING, /**< no groups */
	GROUP_BY_KIND,    /**< what they are for */
	GROUP_BY_MAPPING, /**< the file or name */
	GROUP_BY_PERMS,   /**< permissions */
	GROUP_BY_ARENA,   /**< the malloc arena */
	GROUP_BY_THREAD,  /**< the thread whose stack it is */
	GROUP_BY_OBJECT,  /**< the program, library or other file, with the zero-initialised data
	                     behind it; the kind for anonymous memory */
	GROUP_BY_COUNT,   /**< number of them */
};

/**
 * Parses the argument of --by.
 * @param word a name
 * @param by filled
 * @param error PM_ERROR_USAGE
 * @return 0 or -1
 */
int group_by_parse(const char *word, enum group_by *by, struct pm_error *error);

/** Groups; opaque. */
struct groups;

/**
 * Starts groups.
 * @param by what they have in common
 * @return no groups yet; release with groups_destroy()
 */
struct groups *groups_create(enum group_by by);

/**
 * Keeps to the columns that RSS and swap can fill, unless others are asked for: of a recording by
 * `watch`.
 * @param groups the groups
 */
void groups_know_two_sizes(struct groups *groups);

/**
 * Puts regions into groups.
 *
 * @param groups   gets them
 * @param regions  all regions of the target: some groups depend on neighbours
 * @param items    the regions to be summed up
 * @param count    how many
 */
void groups_fill(struct groups *groups, const struct pm_regions *regions, const void *const *items,
                 size_t count);

/**
 * Releases groups.
 * @param groups the groups
 */
void groups_destroy(struct groups *groups);

/**
 * Lists of these groups.
 * @param groups the groups
 * @return lives as long as they
 */
const struct list_spec *groups_columns_spec(const struct groups *groups);

/**
 * Puts all groups into a list.
 * @param groups the groups; must outlive the list
 * @param list an initialised list of groups_columns_spec()
 */
void groups_add_to(const struct groups *groups, struct list *list);

#endif
