/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Stops all threads of a process for a consistent view of its memory, and reads their registers
 * (ptrace(2)).
 *
 * Reading memory does not need a stop. A stop needs more privileges, and delays the target. Stops
 * use PTRACE_SEIZE and PTRACE_INTERRUPT, which send no signal to the target. If a signal had
 * already stopped the target, the target stays stopped after the stop ends. Signals that arrive
 * during the stop are delivered when it ends. If the calling process is killed, even by SIGKILL,
 * the kernel resumes all threads.
 *
 * With ptrace(2), only the thread that stopped the target can resume it. The library creates a
 * thread for each stop, so any thread of the program may call pm_stop_end(). Until the stop ends,
 * the program must not wait for arbitrary children, as wait(2) does: it would receive the events of
 * the stopped threads. Use waitpid(2) with the PID of a child instead.
 *
 * Other processes that share the memory of the target are not stopped. An example is a child of
 * vfork(2) that has not called exec yet. pm_stop_find_sharing() finds them.
 */
#ifndef PROCMEM_STOP_H
#define PROCMEM_STOP_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A stop; opaque. Only one thread at a time may use it. */
struct pm_stop;

/**
 * Stops all threads of a process. On failure, the threads that were already stopped by this
 * function are resumed.
 *
 * Threads in uninterruptible sleep (state D: waiting for a disk, or for a vfork child) cannot be
 * stopped. After 0.2 s such threads count as stopped: they will stop when they leave the kernel,
 * before they execute code of the program again.
 *
 * @param process  the process; must outlive the stop
 * @param cancel   cancellation flag: when it becomes non-zero during this call, all threads are
 *                 resumed, and the call fails with PM_ERROR_CANCELLED. NULL if there is none
 * @param stop     receives the stop; end it with pm_stop_end()
 * @param error    PM_ERROR_ACCESS (the text names the rule that refused access, or the PID of
 *                 another tracer), PM_ERROR_GONE, PM_ERROR_NO_MEMORY (a zombie or a kernel
 *                 thread), PM_ERROR_UNSUPPORTED (the calling process, a process in a saved copy of
 *                 /proc or in another PID namespace), PM_ERROR_CANCELLED, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_stop_begin(struct pm_process *process, const volatile sig_atomic_t *cancel,
                            struct pm_stop **stop, struct pm_error *error);

/**
 * Resumes all threads and releases the stop.
 *
 * @param stop  a stop or NULL
 * @return      duration of the stop in nanoseconds, from before the first thread was interrupted
 *              until the last thread was resumed; 0 if `stop` is NULL
 */
PM_PUBLIC uint64_t pm_stop_end(struct pm_stop *stop);

/** A stopped thread. */
struct pm_stopped_thread {
	pid_t tid;  /**< thread ID */
	int signal; /**< pending signal, which is delivered after the stop; 0 if there is none */
	/** Whether the registers can be read; false if the thread is in uninterruptible sleep */
	bool reachable;
};

/**
 * Returns the number of stopped threads.
 * @param stop  the stop
 * @return      at least 1
 */
PM_PUBLIC size_t pm_stop_count(const struct pm_stop *stop);

/**
 * Returns a stopped thread. The threads are ordered by ascending thread ID.
 * @param stop   the stop
 * @param index  index of the thread, from 0; less than pm_stop_count()
 * @return       the thread, valid until the stop ends
 */
PM_PUBLIC const struct pm_stopped_thread *pm_stop_thread(const struct pm_stop *stop, size_t index);

/**
 * Finds the other processes that share the memory of a process. They were created by vfork(2), or
 * by clone(2) with CLONE_VM and without CLONE_THREAD. A stop does not stop them. Other
 * processes that the caller may not compare with `process` are skipped (kcmp(2), EPERM).
 *
 * @param process  the process
 * @param first    receives the PID of one of these processes; 0 if there is none
 * @param count    receives the number of these processes
 * @param error    PM_ERROR_UNSUPPORTED if no process can be compared: the kernel has no kcmp(2),
 *                 or forbids this system call altogether, or the PIDs belong to another PID
 *                 namespace. The text names the
 *                 reason. PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_stop_find_sharing(struct pm_process *process, pid_t *first, size_t *count,
                                   struct pm_error *error);

/**
 * Waits after a stop until each thread of the process has used a processor, or sleeps. Call this
 * before another stop. Otherwise, a thread that still waits for a processor would be stopped at the
 * same place again, for example in the middle of malloc. Waits for at most 0.2 s.
 *
 * @param process  the process, which is not stopped
 * @param cancel   cancellation flag, which ends the wait; NULL if there is none
 * @return         false if a thread has not run: it had to wait for a processor or for the kernel
 */
PM_PUBLIC bool pm_stop_await_run(struct pm_process *process, const volatile sig_atomic_t *cancel);

/**
 * Reads a set of registers of a thread (PTRACE_GETREGSET). If the set is larger than `capacity`,
 * only its first `capacity` bytes are read.
 *
 * @param stop      the stop
 * @param index     index of the thread
 * @param note      which register set: NT_PRSTATUS, NT_FPREGSET, NT_X86_XSTATE or another note
 *                  type of <elf.h>
 * @param buffer    room for `capacity` bytes
 * @param capacity  size of the buffer in bytes
 * @param size      receives the number of bytes read
 * @param error     PM_ERROR_UNSUPPORTED if the machine does not have this set, PM_ERROR_UNREADABLE
 *                  if the thread is not reachable, PM_ERROR_GONE
 * @return          0 or -1
 */
PM_PUBLIC int pm_stop_read_registers(struct pm_stop *stop, size_t index, uint32_t note,
                                     void *buffer, size_t capacity, size_t *size,
                                     struct pm_error *error);

/**
 * Reads the siginfo_t of the pending signal of a thread (PTRACE_GETSIGINFO).
 *
 * @param stop   the stop
 * @param index  index of the thread
 * @param info   room for a siginfo_t, 128 bytes
 * @param error  PM_ERROR_UNREADABLE if the thread is not reachable or has no siginfo, PM_ERROR_GONE
 * @return       0 or -1
 */
PM_PUBLIC int pm_stop_read_siginfo(struct pm_stop *stop, size_t index, void *info,
                                   struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
