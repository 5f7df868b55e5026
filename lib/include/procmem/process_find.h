/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finding processes by PID or name.
 *
 * A word of digits is always a PID, and that of a thread means its process. A name is compared with
 * the command names of all processes; if none is equal, with the base name of each first argument;
 * then with that of each program file; last with the command names of zombies. Our own process
 * never matches a name, nor do ancestors that only run it and so have the word in their command
 * lines: sudo, timeout, `sh -c`.
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
 * @param error  PM_ERROR_NOT_FOUND (with the most similar name), PM_ERROR_USAGE (`12abc`, `-1`,
 *               `0`), PM_ERROR_AMBIGUOUS (with the first 8 PIDs), PM_ERROR_ACCESS (hidepid),
 *               PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return       0 or -1
 */
PM_PUBLIC int pm_process_find(const char *word, pid_t *pid, struct pm_error *error);

/**
 * Finds all processes that a word names, by ascending PID.
 *
 * @param word   the word
 * @param pids   receives the array of PIDs; the caller frees it
 * @param count  receives the number of PIDs, at least 1
 * @param error  as pm_process_find(), never PM_ERROR_AMBIGUOUS
 * @return       0 or -1
 */
PM_PUBLIC int pm_process_find_all(const char *word, pid_t **pids, size_t *count,
                                  struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
