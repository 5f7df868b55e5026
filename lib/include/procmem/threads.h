/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The threads of a process, with their names and stack pointers.
 */
#ifndef PROCMEM_THREADS_H
#define PROCMEM_THREADS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A thread of a process. */
struct pm_thread {
	pid_t tid; /**< thread ID */
	/**
	 * Thread name, which may contain any byte but NUL; empty if the name was not read, or if
	 * the thread has ended
	 */
	char name[PM_COMM_SIZE];
	/**
	 * Stack pointer of the thread; 0 if the stack pointer was not read, if the thread is
	 * running or has ended, or if the caller lacks ptrace access
	 */
	uint64_t stack_pointer;
};

/** Details to read of each thread. */
enum pm_thread_detail {
	PM_THREAD_NAMES = 1, /**< names, from task/TID/comm */
	/** Stack pointers, from task/TID/syscall. Requires ptrace access (proc_pid_syscall(5)). */
	PM_THREAD_STACK_POINTERS = 2,
};

/**
 * Lists the threads that are alive, by ascending TID.
 *
 * @param process  the process
 * @param details  details to read of each thread: enum pm_thread_detail bits
 * @param threads  receives the array; the caller frees it
 * @param count    receives the number of threads
 * @param error    PM_ERROR_GONE, PM_ERROR_ACCESS, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_process_read_threads(struct pm_process *process, unsigned details,
                                      struct pm_thread **threads, size_t *count,
                                      struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
