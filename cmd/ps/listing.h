/* SPDX-License-Identifier: MIT */
/** @file Reads the processes to be listed, with the values of their columns. */
#ifndef CMD_PS_LISTING_H
#define CMD_PS_LISTING_H

#include "base/name_filter.h"
#include "base/user_names.h"
#include "ps/columns.h"

/** Which processes are listed. */
struct ps_filter {
	bool all;                 /**< kernel threads, too */
	bool tree;                /**< the descendants of the processes that match, too */
	const char *name;         /**< the operand NAME; NULL to list all processes */
	struct name_filter regex; /**< `name` as a regular expression */
};

/** A process whose smaps_rollup could not be read. */
struct ps_unread {
	const struct pm_process_row *process; /**< the process; borrowed */
	char *reason;                         /**< why; owned */
};

/** The listed processes. A zeroed structure is an empty listing. */
struct ps_listing {
	struct pm_process_list processes; /**< all processes; owned */
	struct ps_row *rows;              /**< the listed processes, by ascending PID; owned */
	size_t count;                     /**< number of rows */
	struct user_names users;          /**< names of users */
	struct ps_cgroups cgroups;        /**< cgroups of the listed processes */
	struct ps_unread *unread;         /**< processes that were refused; owned */
	size_t unread_count;              /**< number of these processes */
	size_t ended;                     /**< processes that ended while they were read */
};

/**
 * Reads the processes.
 *
 * @param listing  zeroed; release it with ps_listing_deinit(), also on failure
 * @param filter   which processes to list
 * @param needs    what to read for each of them: bits of enum ps_needs
 * @param earlier  processes that are listed in any case: their parents may have ended since, or
 *                 their names may have changed. NULL if there are none
 * @param error    PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int ps_listing_read(struct ps_listing *listing, const struct ps_filter *filter, unsigned needs,
                    const struct ps_listing *earlier, struct pm_error *error);

/**
 * Finds a process in a list of all processes.
 *
 * @param list     the list
 * @param process  a process of the same or of another list
 * @return         the process with the same PID and start time; NULL if there is none, or if it
 *                 has ended while the processes were read
 */
const struct pm_process_row *ps_listing_find(const struct pm_process_list *list,
                                             const struct pm_process_row *process);

/**
 * Reports on stderr which processes are not listed, or without all values.
 *
 * @param listing  the listing
 * @param verbose  whether to report processes that have ended, too
 */
void ps_listing_report(const struct ps_listing *listing, bool verbose);

/**
 * Makes the member "processes_unread" of JSON: the processes that could not be read.
 *
 * @param listing  the listing
 * @return         the value; NULL if all processes were read
 */
json_t *ps_listing_json_unread(const struct ps_listing *listing);

/**
 * Releases a listing.
 * @param listing  the listing; empty afterwards
 */
void ps_listing_deinit(struct ps_listing *listing);

#endif
