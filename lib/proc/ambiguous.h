/* SPDX-License-Identifier: MIT */
/** @file The sentence about a name that several processes have. Private. */
#ifndef PM_PROC_AMBIGUOUS_H
#define PM_PROC_AMBIGUOUS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/error.h>

/** One of the processes. */
struct pm_namesake {
	pid_t pid;            /**< process ID */
	uid_t uid;            /**< effective user ID */
	uint64_t start_ticks; /**< start time in clock ticks since boot */
	const char *command;  /**< command line, or the command name in brackets */
};

/**
 * Lists the first processes with what tells them apart: how long they are up, the users where these
 * differ, and of long command lines the part that differs.
 *
 * @param word   the name
 * @param items  the processes that it fits
 * @param count  how many, at least 2
 * @param error  filled with PM_ERROR_AMBIGUOUS
 * @return       always -1
 */
int pm_ambiguous_error(const char *word, const struct pm_namesake *items, size_t count,
                       struct pm_error *error);

/**
 * Writes of a command line what tells it from the others: all of it where it is short, else its
 * begin if it differs there, or what stands around the first byte in which it differs from that
 * which is most like it. "..." stands where something is left out.
 *
 * @param items  the processes
 * @param count  how many
 * @param index  which of them
 * @param most   bytes to write, at least 12
 * @param text   room for that and a NUL
 */
void pm_ambiguous_distinguish(const struct pm_namesake *items, size_t count, size_t index,
                              size_t most, char *text);

#endif
