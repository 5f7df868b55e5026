/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the processes that a word matches, again and again. The names of a process are read when it
 * is new and in some of the later updates, because exec changes them. Private.
 */
#ifndef PM_FAMILY_NAMES_H
#define PM_FAMILY_NAMES_H

#include "family/roster.h"

/** A process of the list. */
struct pm_names_entry;

/** What is known about all processes. Zeroed means nothing. */
struct pm_names {
	struct pm_names_entry *items; /**< the processes, by ascending PID; owned */
	size_t count;
};

/**
 * Adds the processes that a word matches best. The members that still match in any way are marked
 * as `listed`.
 *
 * @param names       what the last update found
 * @param roster      the members
 * @param word        the word, as for pm_process_find_all()
 * @param incomplete  becomes true if the processes cannot be listed; otherwise unchanged
 * @param error       PM_ERROR_RESOURCES
 * @return            0 or -1
 */
int pm_names_find(struct pm_names *names, struct pm_roster *roster, const char *word,
                  bool *incomplete, struct pm_error *error);

/**
 * Adds one process: of those that a word matches best and whose parents do not match, the one that
 * started last.
 *
 * @param names       what the last update found
 * @param roster      the members
 * @param word        the word
 * @param before      PID of the process that was followed before; processes of its process group or
 *                    session, such as its workers, are ignored. 0 if there was none; then it is an
 *                    error if there are several processes
 * @param incomplete  becomes true if the processes cannot be listed; otherwise unchanged
 * @param error       PM_ERROR_AMBIGUOUS, PM_ERROR_RESOURCES
 * @return            0 or -1
 */
int pm_names_follow(struct pm_names *names, struct pm_roster *roster, const char *word,
                    pid_t before, bool *incomplete, struct pm_error *error);

/** Releases what is known; all zeros afterwards. */
void pm_names_deinit(struct pm_names *names);

#endif
