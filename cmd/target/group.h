/* SPDX-License-Identifier: MIT */
/** @file Groups of regions that share a kind, a file or another value, for `map --by`. */
#ifndef CMD_TARGET_GROUP_H
#define CMD_TARGET_GROUP_H

#include <procmem/arena_threads.h>
#include <procmem/heap.h>
#include <procmem/region.h>

#include "target/owner_source.h"
#include "view/list.h"

/** What the regions of a group have in common. */
enum group_by {
	GROUP_BY_NOTHING, /**< no groups */
	GROUP_BY_KIND,    /**< the kind */
	GROUP_BY_MAPPING, /**< the file or name */
	GROUP_BY_PERMS,   /**< permissions */
	GROUP_BY_ARENA,   /**< the malloc arena */
	GROUP_BY_THREAD,  /**< the thread to which the stack belongs */
	GROUP_BY_OBJECT,  /**< the program, library or other file, including its zero-initialised
	                     data (bss); for anonymous memory, the kind */
	GROUP_BY_OWNER,   /**< who manages the memory; a region can belong to several groups */
	GROUP_BY_COUNT,   /**< number of ways to group, for tables */
};

/**
 * Parses the argument of --by.
 *
 * @param word   the argument
 * @param by     receives the way to group
 * @param error  PM_ERROR_USAGE
 * @return       0 or -1
 */
int group_by_parse(const char *word, enum group_by *by, struct pm_error *error);

/** Groups; opaque. */
struct groups;

/**
 * Creates groups.
 *
 * @param by  what the regions of each group have in common
 * @return    empty groups; release them with group_destroy()
 */
struct groups *group_create(enum group_by by);

/**
 * Limits the default columns to those that need only RSS and swap, for recordings made by `watch`.
 * @param groups  the groups
 */
void group_know_two_sizes(struct groups *groups);

/**
 * Shows the resident bytes that are not marked as accessed, for `stale`, and sorts by them.
 * @param groups  the groups
 */
void group_know_referenced(struct groups *groups);

/**
 * Sets what is inside malloc, for GROUP_BY_ARENA: the brk heap then is the group of the main arena,
 * and the groups of arenas have the sizes and threads of their arenas. Call it before group_fill().
 *
 * @param groups   the groups
 * @param heap     the heap; must outlive the groups
 * @param threads  the threads of the arenas; must outlive the groups
 */
void group_know_heap(struct groups *groups, const struct pm_heap *heap,
                     const struct pm_arena_threads *threads);

/**
 * Sets how regions are divided between owners, for GROUP_BY_OWNER. Without it, each region belongs
 * to its main owner. Call it before group_fill().
 *
 * @param groups  the groups
 * @param source  how to divide regions; must outlive group_fill()
 */
void group_know_owners(struct groups *groups, const struct owner_source *source);

/**
 * Adds regions to groups. With GROUP_BY_MAPPING, files whose names differ only in numbers share a
 * group, if the kinds of their regions are the same. Call it once.
 *
 * @param groups   receives the regions
 * @param regions  all regions of the target, because the group of a region can depend on its
 *                 neighbour
 * @param items    the regions to add, `struct pm_region`
 * @param count    number of regions to add
 * @param error    with GROUP_BY_OWNER as for pm_owner_sums_add(); otherwise there is no error
 * @return         0 or -1
 */
int group_fill(struct groups *groups, const struct pm_regions *regions, const void *const *items,
               size_t count, struct pm_error *error);

/**
 * Adds to the description of an owner, with GROUP_BY_OWNER. Call it after group_fill().
 *
 * @param groups  the groups
 * @param owner   the owner; nothing is done if there is no such group
 * @param note    the words; copied
 */
void group_describe_owner(struct groups *groups, enum pm_owner owner, const char *note);

/**
 * Returns the sums by owner, of groups made with GROUP_BY_OWNER.
 * @param groups  the groups, after group_fill()
 * @return        the sums; valid as long as the groups
 */
const struct pm_owner_sums *group_owner_sums(const struct groups *groups);

/**
 * Adds the sums of groups to the groups of the same names, so that the groups of several processes
 * are summed up. Not for GROUP_BY_ARENA and GROUP_BY_THREAD, whose groups belong to one process.
 * The list of the sums is sorted by PSS, in which memory that the processes share counts once.
 *
 * @param sums    created with the same `by`; not filled with regions
 * @param groups  the groups of one process
 */
void group_sum_up(struct groups *sums, const struct groups *groups);

/**
 * Tests whether the groups of several processes can be summed up.
 * @param by  what the regions of each group have in common
 * @return    whether group_sum_up() can be called
 */
bool group_can_sum_up(enum group_by by);

/**
 * Releases groups.
 * @param groups the groups
 */
void group_destroy(struct groups *groups);

/**
 * Returns the columns of a list of groups.
 *
 * @param groups  the groups
 * @return        the description of the list; valid as long as the groups
 */
const struct list_spec *group_columns_spec(const struct groups *groups);

/**
 * Adds all groups to a list.
 *
 * @param groups  the groups; must outlive the list
 * @param list    an initialised list of group_columns_spec()
 */
void group_add_to(const struct groups *groups, struct list *list);

#endif
