/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finding processes, by PID or name, with their memory figures. Stands on libproc2.
 */
#ifndef PROCMEM_PROCESS_LIST_H
#define PROCMEM_PROCESS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One process of a list. Sizes in bytes. */
struct pm_process_row {
	pid_t pid;          /**< process ID */
	uid_t uid;          /**< effective user ID */
	uint32_t threads;   /**< number of threads */
	char state;         /**< as in proc_pid_stat(5) */
	bool kernel_thread; /**< has no user memory */
	bool own; /**< our own process, or an ancestor that only runs it: its command line names our
	             program */
	uint64_t start_ticks;    /**< start time in clock ticks since boot */
	uint64_t rss;            /**< VmRSS */
	uint64_t peak;           /**< VmHWM */
	uint64_t swap;           /**< VmSwap */
	uint64_t size;           /**< VmSize */
	char comm[PM_COMM_SIZE]; /**< command name */
	char *command; /**< command line, arguments separated by blanks; "" where there is none;
	                  owned by the list */
};

/** A list of processes. */
struct pm_process_list {
	struct pm_process_row *items; /**< the processes, by ascending PID */
	size_t count;                 /**< how many */
};

/**
 * Lists all processes.
 *
 * @param list   filled; release with pm_process_list_deinit()
 * @param error  PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return       0 or -1
 */
PM_PUBLIC int pm_process_list_read(struct pm_process_list *list, struct pm_error *error);

/**
 * Releases a list.
 * @param list the list
 */
PM_PUBLIC void pm_process_list_deinit(struct pm_process_list *list);

/**
 * Resolves a TARGET word to one process: a PID (that of a thread means its process), or a name that
 * fits exactly one process. A word of digits is always a PID. A name is compared with the command
 * names; where none is equal, with the base name of each first argument; then with that of each
 * program file; last with the command names of zombies. Our own process never fits a name, nor do
 * ancestors that only run it and so have the word in their command lines: sudo, timeout, `sh -c`.
 *
 * @param word   the word
 * @param pid    where to store the PID
 * @param error  PM_ERROR_NOT_FOUND (nearest name suggested), PM_ERROR_USAGE (`12abc`, `-1`, `0`),
 * PM_ERROR_AMBIGUOUS (the first 8 PIDs are listed), PM_ERROR_ACCESS (hidepid), PM_ERROR_IO,
 * PM_ERROR_RESOURCES
 * @return       0 or -1
 */
PM_PUBLIC int pm_process_find(const char *word, pid_t *pid, struct pm_error *error);

/**
 * Resolves a TARGET word to all processes that it fits, by ascending PID. As pm_process_find(), but
 * several are no error.
 *
 * @param word   the word
 * @param pids   where to store the PIDs; the caller frees it
 * @param count  where to store how many, at least 1
 * @param error  as pm_process_find(), never PM_ERROR_AMBIGUOUS
 * @return       0 or -1
 */
PM_PUBLIC int pm_process_find_all(const char *word, pid_t **pids, size_t *count,
                                  struct pm_error *error);

/**
 * PSS of a process from smaps_rollup (Linux 4.14); holds the target's map lock over the whole walk.
 *
 * @param process  the process
 * @param pss      where to store it, in bytes
 * @param error    as pm_maps_read(), PM_ERROR_NOT_FOUND where the kernel has no such file
 * @return         0 or -1
 */
PM_PUBLIC int pm_process_read_pss(struct pm_process *process, uint64_t *pss,
                                  struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
