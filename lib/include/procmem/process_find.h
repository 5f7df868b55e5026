/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds processes by PID or name.
 *
 * A word of digits is a PID. If this is the ID of a thread, the process of the thread is found. Any
 * other word is a name. A process has up to four names:
 * - its command name,
 * - the base name of argument 0 of its command line, or all of argument 0 if it contains a space,
 * - the base name of its program file,
 * - the base name of its script, if the program is an interpreter: `leak.py` in `python3 leak.py`.
 *
 * A word matches all processes that have a name equal to the word. If there is no such process, the
 * word matches all processes that have a name which starts with the word and continues with a byte
 * that is not a letter: `redis` matches `redis-server`. If there is no such process either, the
 * word matches zombies by their command name.
 *
 * These processes never match a name:
 * - the calling process,
 * - each ancestor of the calling process whose command line contains the name of the calling
 *   program, such as the sudo, timeout or `sh -c` that started the program.
 */
#ifndef PROCMEM_PROCESS_FIND_H
#define PROCMEM_PROCESS_FIND_H

#include <stddef.h>
#include <sys/types.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Finds the process that a word names: a PID, or a name that matches exactly one process.
 *
 * @param word   the word
 * @param pid    receives the PID
 * @param error  PM_ERROR_NOT_FOUND (the text suggests the most similar name), PM_ERROR_USAGE (words
 *               such as `12abc`, `-1` and `0`), PM_ERROR_AMBIGUOUS (the text lists the first 8
 *               processes), PM_ERROR_ACCESS (hidepid), PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return       0 or -1
 */
PM_PUBLIC int pm_process_find(const char *word, pid_t *pid, struct pm_error *error);

/**
 * Finds a process as pm_process_find() does, but a name must match as a whole. Use this if the word
 * can also be something else, such as the name of a file.
 *
 * @param word   the word
 * @param pid    receives the PID
 * @param error  as pm_process_find()
 * @return       0 or -1
 */
PM_PUBLIC int pm_process_find_exact(const char *word, pid_t *pid, struct pm_error *error);

/**
 * Finds all processes that a word names, by ascending PID.
 *
 * @param word   the word
 * @param pids   receives the array of PIDs; the caller frees it
 * @param count  receives the number of PIDs, at least 1
 * @param error  as for pm_process_find(), except PM_ERROR_AMBIGUOUS
 * @return       0 or -1
 */
PM_PUBLIC int pm_process_find_all(const char *word, pid_t **pids, size_t *count,
                                  struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
