/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What many processes use, at the lowest cost: the sizes of a process without a handle for it, and
 * the list of all processes.
 */
#ifndef PROCMEM_MEMORY_USE_H
#define PROCMEM_MEMORY_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The memory of a process. Sizes are in bytes. The sizes are 0 if the process has no user memory (a
 * kernel thread or a zombie). Memory that several processes share is counted for each of these
 * processes: shared mappings in `shmem` and `file`, and pages that a child shares with its parent
 * since fork(2) in `anon`.
 */
struct pm_memory_use {
	pid_t pid;            /**< process ID */
	pid_t parent;         /**< process ID of the parent; 0 if it is in another PID namespace */
	char state;           /**< R S D T t Z X I as in proc_pid_stat(5) */
	bool kernel_thread;   /**< PF_KTHREAD: a thread of the kernel, without user memory */
	uint64_t start_ticks; /**< start time in clock ticks since boot */
	char comm[PM_COMM_SIZE]; /**< command name; may contain any byte but NUL */
	uint64_t anon;           /**< RssAnon: anonymous memory */
	uint64_t file;           /**< RssFile: pages of mapped files, which are page cache */
	uint64_t shmem;          /**< RssShmem: mapped pages of tmpfs and shared memory */
	uint64_t swap;           /**< VmSwap: swapped-out bytes */
	uint64_t resident;       /**< second number of statm, in bytes; private */
	uint64_t shared;         /**< third number of statm, in bytes; private */
};

/** Results of pm_memory_use_update(). */
enum pm_memory_use_result {
	PM_USE_FAILED = -1, /**< the calling process lacks memory or descriptors */
	PM_USE_GONE,        /**< the process has ended, or another process has its PID now */
	PM_USE_REFUSED,     /**< the kernel does not permit the calling process to read the sizes */
	PM_USE_READ,        /**< the sizes are those of now */
};

/**
 * Reads the memory of a process that was not read before.
 *
 * @param proc_root  directory that replaces /proc; NULL means "/proc"
 * @param pid        process ID
 * @param use        filled if the result is PM_USE_READ, otherwise unchanged
 * @param error      PM_ERROR_RESOURCES
 * @return           the result
 */
PM_PUBLIC enum pm_memory_use_result pm_memory_use_read(const char *proc_root, pid_t pid,
                                                       struct pm_memory_use *use,
                                                       struct pm_error *error);

/**
 * Reads the memory of a process again. Reads only statm if the numbers there are unchanged, and
 * `exact` is false: then `swap` and the other sizes are those of the last call. Since Linux 6.2,
 * statm can lag by some dozen pages for each CPU.
 *
 * @param proc_root  directory that replaces /proc; NULL means "/proc"
 * @param use        the memory, as a former call filled it; updated if the result is PM_USE_READ,
 *                   otherwise unchanged
 * @param exact      read all sizes, even if statm is unchanged
 * @param error      PM_ERROR_RESOURCES
 * @return           the result
 */
PM_PUBLIC enum pm_memory_use_result pm_memory_use_update(const char *proc_root,
                                                         struct pm_memory_use *use, bool exact,
                                                         struct pm_error *error);

/**
 * Reads only who a process is, which costs a fifth of pm_memory_use_read().
 *
 * @param proc_root  directory that replaces /proc; NULL means "/proc"
 * @param pid        process ID
 * @param use        filled if the result is PM_USE_READ, otherwise unchanged; the sizes are 0
 * @param error      PM_ERROR_RESOURCES
 * @return           the result
 */
PM_PUBLIC enum pm_memory_use_result pm_memory_use_identify(const char *proc_root, pid_t pid,
                                                           struct pm_memory_use *use,
                                                           struct pm_error *error);

/**
 * Returns the memory of a process that the kernel cannot drop: anonymous, shared and swapped-out
 * memory. Pages of mapped files are page cache, so they are not part of it.
 *
 * @param use  the memory
 * @return     bytes
 */
static inline uint64_t pm_memory_use_kept(const struct pm_memory_use *use)
{
	return use->anon + use->shmem + use->swap;
}

/**
 * Lists the process IDs of all processes, by reading the names in /proc.
 *
 * @param proc_root  directory that replaces /proc; NULL means "/proc"
 * @param pids       receives the IDs, by ascending value; the caller frees them
 * @param count      receives the number of IDs
 * @param error      PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
PM_PUBLIC int pm_memory_use_pids(const char *proc_root, pid_t **pids, size_t *count,
                                 struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
