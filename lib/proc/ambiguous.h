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
 * Fills an error that lists at most eight of the processes. For each process, the error shows the
 * PID, the time since the process started, and its command line, or the part of a long command line
 * that differs. A command line that all of them have is shown once. The users are shown if not all
 * listed processes have the same user.
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
 * Writes the part of the command line of a process that distinguishes it from the command lines of
 * the other processes. The command line is compared with the one that has the longest common
 * prefix, and the part with the first differing byte is written. If the start of the
 * command line contains this byte, the start is written. A command line of at most `max` bytes is
 * written completely.
 * "..." marks text that is left out.
 *
 * @param items  the processes
 * @param count  number of processes
 * @param index  index of the process whose command line is written, less than `count`
 * @param max    maximum number of bytes to write, without the NUL; at least 12
 * @param text   buffer of `max` + 1 bytes; receives the text
 */
void pm_ambiguous_distinguish(const struct pm_namesake *items, size_t count, size_t index,
                              size_t max, char *text);

#endif
