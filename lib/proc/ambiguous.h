/* SPDX-License-Identifier: MIT */
/** @file The error message for a name that matches several processes. Private. */
#ifndef PM_PROC_AMBIGUOUS_H
#define PM_PROC_AMBIGUOUS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/error.h>

/** One of the processes that match a name. */
struct pm_namesake {
	pid_t pid;            /**< process ID */
	uid_t uid;            /**< effective user ID */
	uint64_t start_ticks; /**< start time in clock ticks since boot */
	const char *command;  /**< command line, or the command name in brackets */
};

/**
 * Fills an error that lists the first processes and shows how they differ: the time since their
 * start, their users if these differ, and for long command lines the part that differs.
 *
 * @param word   the name
 * @param items  the processes that match the name
 * @param count  number of processes, at least 2
 * @param error  filled with PM_ERROR_AMBIGUOUS
 * @return       always -1
 */
int pm_ambiguous_error(const char *word, const struct pm_namesake *items, size_t count,
                       struct pm_error *error);

/**
 * Writes the part of a command line that distinguishes it from the others. A short command line is
 * written as a whole. Of a longer one, the start is written if it differs there, otherwise the part
 * around the first byte that differs from the most similar command line. "..." marks text that is
 * left out.
 *
 * @param items  the processes
 * @param count  number of processes
 * @param index  index of the process, less than `count`
 * @param max    maximum number of bytes to write, without the NUL; at least 12
 * @param text   buffer of `max` + 1 bytes; receives the text
 */
void pm_ambiguous_distinguish(const struct pm_namesake *items, size_t count, size_t index,
                              size_t max, char *text);

#endif
