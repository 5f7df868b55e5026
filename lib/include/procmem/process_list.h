/* SPDX-License-Identifier: MIT */
/**
 * @file
 * All processes of the machine, with their sizes.
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

/** A process of a list. Sizes are in bytes. */
struct pm_process_row {
	pid_t pid; /**< process ID */
	/**
	 * PID of the parent; 0 if the parent is outside of the PID namespace. The list may lack the
	 * parent, and the PID may have been reused if the parent has started later than the process
	 */
	pid_t ppid;
	uid_t uid;          /**< effective user ID */
	uint32_t threads;   /**< number of threads */
	char state;         /**< state of the first thread, as in proc_pid_stat(5) */
	bool kernel_thread; /**< whether it is a kernel thread, which has no user memory */
	/**
	 * True for the calling process, and for those of its ancestors, such as sudo, whose command
	 * line contains the name of the calling program
	 */
	bool own;
	uint64_t start_ticks;    /**< start time in clock ticks since boot */
	uint64_t time_ns;        /**< when the sizes were read: CLOCK_BOOTTIME, in nanoseconds */
	uint64_t rss;            /**< resident size (VmRSS) */
	uint64_t peak;           /**< peak resident size (VmHWM) */
	uint64_t swap;           /**< swapped-out bytes (VmSwap) */
	uint64_t size;           /**< size of the address space (VmSize) */
	char comm[PM_COMM_SIZE]; /**< command name */
	/**
	 * The command line, with one space between arguments; owned by the list. "" if the process
	 * has no command line.
	 */
	char *command;
};

/** A list of processes. */
struct pm_process_list {
	struct pm_process_row *items; /**< the processes, by ascending PID */
	size_t count;                 /**< number of processes */
};

/**
 * Lists all processes.
 *
 * @param list   receives the processes; release with pm_process_list_deinit()
 * @param error  PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return       0 or -1
 */
PM_PUBLIC int pm_process_list_read(struct pm_process_list *list, struct pm_error *error);

/**
 * Releases a list.
 * @param list  the list; all zeros afterwards
 */
PM_PUBLIC void pm_process_list_deinit(struct pm_process_list *list);

/**
 * Tests whether a mount option of /proc (hidepid, proc(5)) hides processes of other users from this
 * process. A list then lacks these processes, and their number is not known.
 * @return  true if processes can be hidden
 */
PM_PUBLIC bool pm_process_list_is_partial(void);

/**
 * Reads the PSS of a process from smaps_rollup (Linux 4.14). The kernel walks the page tables of
 * all regions, and the target cannot map memory during that time.
 *
 * @param process  the process
 * @param pss      receives the PSS in bytes
 * @param error    as for pm_maps_read(); also PM_ERROR_NOT_FOUND if the kernel does not provide
 *                 smaps_rollup
 * @return         0 or -1
 */
PM_PUBLIC int pm_process_read_pss(struct pm_process *process, uint64_t *pss,
                                  struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
