/* SPDX-License-Identifier: MIT */
/** @file The names of a process, and how a word matches them. Private. */
#ifndef PM_PROC_PROCESS_NAMES_H
#define PM_PROC_PROCESS_NAMES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "proc/process_handle.h"

/** How a word matches a process; the best match is first. */
enum pm_name_match {
	PM_MATCH_NAME,   /**< equals a name of the process */
	PM_MATCH_START,  /**< is the start of a name, as `redis` of `redis-server` */
	PM_MATCH_ZOMBIE, /**< equals the command name of a process that has ended */
	PM_MATCH_NONE,   /**< does not match */
};

/** The names of a process. */
struct pm_process_names {
	char comm[PM_COMM_SIZE];
	char *command;          /**< arguments of the process, each followed by a NUL; owned */
	size_t length;          /**< length of the arguments in bytes */
	char program[PATH_MAX]; /**< path of the program file, "" if it may not be read */
};

/**
 * Reads the names of a process.
 *
 * @param procfs  the process
 * @param names   receives the names; release them with pm_process_names_deinit()
 * @return        0, or -1 with errno set
 */
int pm_process_names_read(const struct pm_procfs *procfs, struct pm_process_names *names);

/** Releases the names of a process. */
void pm_process_names_deinit(struct pm_process_names *names);

/**
 * Finds the best match of a word with the names of a process.
 *
 * @param names  the names
 * @param ended  whether the process is a zombie
 * @param word   the word
 * @return       the match; PM_MATCH_ZOMBIE and PM_MATCH_NONE only, if `ended` is set
 */
enum pm_name_match pm_process_names_match(const struct pm_process_names *names, bool ended,
                                          const char *word);

#endif
