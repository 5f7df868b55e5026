/* SPDX-License-Identifier: MIT */
/** @file Groups of processes, for `procmem ps --by`. */
#ifndef CMD_PS_GROUPS_H
#define CMD_PS_GROUPS_H

#include "ps/growth.h"

/** What the processes of a group have in common. */
enum ps_by {
	PS_BY_NOTHING,   /**< no groups */
	PS_BY_PROGRAM,   /**< the command name */
	PS_BY_CGROUP,    /**< the cgroup */
	PS_BY_USER,      /**< the effective user */
	PS_BY_CONTAINER, /**< the container */
};

/** A group of processes. Sizes are in bytes. */
struct ps_group {
	const char *name;                     /**< what the processes have in common; borrowed */
	size_t processes;                     /**< number of processes */
	size_t started;                       /**< processes that have started during --for */
	size_t ended;                         /**< processes that have ended during --for */
	size_t unread;                        /**< processes whose smaps_rollup could not be read */
	uint64_t pss;                         /**< sum of PSS */
	uint64_t private_size;                /**< sum of the private pages, without huge pages */
	uint64_t hugetlb;                     /**< sum of the private huge pages of hugetlbfs */
	uint64_t rss;                         /**< sum of RSS */
	uint64_t swap;                        /**< sum of swap */
	uint64_t rss_before;                  /**< sum of RSS at the start of --for */
	double seconds;                       /**< duration of --for; 0 without it */
	bool bytes;                           /**< show exact numbers */
	const struct pm_process_row *largest; /**< process with the most RSS; NULL if all ended */
	const struct pm_container *container; /**< the container; NULL if there is none */
};

/** Groups. Release them with ps_groups_deinit(). */
struct ps_groups {
	struct ps_group *items; /**< the groups, by name; owned */
	size_t count;           /**< number of groups */
	char **names;           /**< names that were made for this list; owned */
	size_t name_count;      /**< number of these names */
};

/**
 * Parses the argument of --by.
 *
 * @param word   the argument
 * @param by     receives what the processes of a group have in common
 * @param error  PM_ERROR_USAGE
 * @return       0 or -1
 */
int ps_groups_parse(const char *word, enum ps_by *by, struct pm_error *error);

/**
 * Returns the word for --by.
 * @param by  not PS_BY_NOTHING
 */
const char *ps_groups_word(enum ps_by by);

/**
 * Returns what must be read for each process to find its group.
 * @param by  what the processes of a group have in common
 * @return    bits of enum ps_needs
 */
unsigned ps_groups_needs(enum ps_by by);

/**
 * Sums up processes.
 *
 * @param groups   filled; valid as long as `listing` and `growth`
 * @param by       what the processes of a group have in common
 * @param listing  the processes
 * @param growth   the processes at the start of --for, or zeroed
 * @param bytes    whether to show exact numbers
 */
void ps_groups_make(struct ps_groups *groups, enum ps_by by, const struct ps_listing *listing,
                    const struct ps_growth *growth, bool bytes);

/**
 * Releases groups.
 * @param groups  the groups
 */
void ps_groups_deinit(struct ps_groups *groups);

#endif
