/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Stopping all threads of a process for a consistent view of its memory, and their registers
 * (ptrace(2)).
 *
 * Reading needs no stop, and a stop needs more rights and holds the target up. It uses PTRACE_SEIZE
 * and PTRACE_INTERRUPT, which send the target no signal: what was stopped by a signal stays so,
 * signals that arrive meanwhile are delivered afterwards, and if we are killed, even by SIGKILL,
 * the kernel lets all threads run on.
 *
 * A ptrace relation binds the target to one thread of the tracer. That thread is one of our own,
 * made for each stop, so that a stop may be ended from any thread. While it lasts, the program must
 * not wait(2) for any child it has: it would take away what belongs to the stop.
 *
 * Not stopped: other processes that share the memory, such as the child of a vfork(2) that has not
 * called exec yet.
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

/** A stop in progress; opaque. One thread at a time may use it. */
struct pm_stop;

/**
 * Stops all threads of a process. On failure all threads run on as before.
 *
 * Threads that sleep in the kernel without being interruptible (state D: waiting for a disk, or for
 * a vfork child) cannot be stopped there; after a fifth of a second they are taken as stopped,
 * because they stop before they execute any more of the program.
 *
 * @param process  the process; must outlive the stop
 * @param cancel   when it becomes non-zero, all is let go and the call ends with
 * PM_ERROR_CANCELLED; or NULL
 * @param stop     where to store the stop; end it with pm_stop_end()
 * @param error    PM_ERROR_ACCESS with the rule that refused (also: the PID that traces it
 * already), PM_ERROR_GONE, PM_ERROR_NO_MEMORY, PM_ERROR_UNSUPPORTED (ourselves, a saved tree,
 * another PID namespace), PM_ERROR_CANCELLED, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_stop_begin(struct pm_process *process, const volatile sig_atomic_t *cancel,
                            struct pm_stop **stop, struct pm_error *error);

/**
 * Lets all threads run on and releases the stop.
 *
 * @param stop  a stop or NULL
 * @return      how long the target was held up, in nanoseconds: from before the first thread was
 * told to stop until the last one was let go
 */
PM_PUBLIC uint64_t pm_stop_end(struct pm_stop *stop);

/** A thread of a stop. */
struct pm_stopped_thread {
	pid_t tid;  /**< thread ID */
	int signal; /**< signal that was about to be delivered to it and will be afterwards, 0 for
	               none */
	bool reachable; /**< false: asleep in the kernel, its registers cannot be read */
};

/**
 * How many threads there are.
 * @param stop the stop
 * @return at least 1
 */
PM_PUBLIC size_t pm_stop_count(const struct pm_stop *stop);

/**
 * One of the threads, by ascending thread ID.
 * @param stop the stop
 * @param index from 0
 * @return the thread, valid until the stop ends
 */
PM_PUBLIC const struct pm_stopped_thread *pm_stop_thread(const struct pm_stop *stop, size_t index);

/**
 * Reads a set of registers of a thread (PTRACE_GETREGSET).
 *
 * @param stop      the stop
 * @param index     of the thread
 * @param note      which set: a note type of core files, as in <elf.h>: NT_PRSTATUS, NT_FPREGSET,
 * NT_X86_XSTATE, ...
 * @param buffer    room for capacity bytes
 * @param capacity  bytes
 * @param size      where to store how many bytes were filled
 * @param error     PM_ERROR_UNSUPPORTED where the machine has no such set, PM_ERROR_UNREADABLE for
 * a thread that is not reachable, PM_ERROR_GONE
 * @return          0 or -1
 */
PM_PUBLIC int pm_stop_read_registers(struct pm_stop *stop, size_t index, uint32_t note,
                                     void *buffer, size_t capacity, size_t *size,
                                     struct pm_error *error);

/**
 * Reads the siginfo_t of what a thread stopped for (PTRACE_GETSIGINFO): of the signal about to be
 * delivered, if there is one.
 *
 * @param stop   the stop
 * @param index  of the thread
 * @param info   room for a siginfo_t, 128 bytes
 * @param error  PM_ERROR_UNREADABLE for a thread that is not reachable or has none, PM_ERROR_GONE
 * @return       0 or -1
 */
PM_PUBLIC int pm_stop_read_siginfo(struct pm_stop *stop, size_t index, void *info,
                                   struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
