/* SPDX-License-Identifier: MIT */
/** @file What else a TARGET word could refer to, if it does not name one process. */
#ifndef CMD_TARGET_TARGET_HINT_H
#define CMD_TARGET_TARGET_HINT_H

#include <procmem/error.h>
#include <procmem/oom_log.h>
#include <procmem/process_list.h>

#include "base/text.h"

/**
 * If a process with this name was OOM-killed in the last hour, adds this to an error. Nothing is
 * added if the log of the kernel cannot be read.
 *
 * @param word   the name
 * @param error  the error that no process has this name; changed
 */
void target_hint_killed(const char *word, struct pm_error *error);

/**
 * If a word names a compressed file, changes the error to say so, and which command decompresses
 * the file.
 *
 * @param word   the word
 * @param error  an error; changed
 * @return       whether the error was changed
 */
bool target_hint_compressed(const char *word, struct pm_error *error);

/**
 * Reports that a target has no memory to read, because it is neither a process nor a core file.
 *
 * @param word   the TARGET
 * @param error  PM_ERROR_USAGE
 * @return       -1
 */
int target_hint_no_memory(const char *word, struct pm_error *error);

/**
 * Adds to an error which options select all processes of a name, and which of the processes is the
 * parent of the others.
 *
 * @param word   the name
 * @param error  the error that several processes have this name; changed
 */
void target_hint_several(const char *word, struct pm_error *error);

/**
 * Describes the last kill of a process with a name: "lookup (12723) was OOM-killed 7s ago, limit of
 * /shop". The kill is at most an hour old.
 *
 * @param log   the kills
 * @param word  the name
 * @param text  receives the sentence, not escaped
 * @return      false if there is no such kill; nothing is added then
 */
bool target_hint_describe_kill(const struct pm_oom_log *log, const char *word, struct text *text);

/**
 * Finds the process that is the parent of all others.
 *
 * @param list   all processes
 * @param pids   some of them
 * @param count  number of `pids`
 * @return       its PID; 0 if there is none
 */
pid_t target_hint_parent(const struct pm_process_list *list, const pid_t *pids, size_t count);

#endif
