/* SPDX-License-Identifier: MIT */
/** @file The process that traces the target by ptrace(2). Private. */
#ifndef PM_TRACE_PTRACE_TRACER_H
#define PM_TRACE_PTRACE_TRACER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/process.h>

#include "trace/ptrace_ring.h"

/** What the tracer does. */
struct pm_ptrace_job {
	const struct pm_process *process; /**< the target */
	struct pm_ptrace_ring *ring;      /**< receives the records; in shared memory */
	size_t stack_size;                /**< bytes of each copy of a stack */
};

/** What the tracer answers when it has attached. It sends an empty message to report records. */
struct pm_ptrace_answer {
	int cause;        /**< errno if no thread could be attached; otherwise 0 */
	uint32_t threads; /**< threads that were attached */
};

/**
 * Starts the process. It attaches to the target when it receives a message, and ends, without any
 * effect on the target, when the other end of the socket is closed.
 *
 * @param job     what to do
 * @param socket  receives the socket of the calling process, of type SOCK_SEQPACKET
 * @param pid     receives the PID; the caller waits for its end
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_ptrace_tracer_start(const struct pm_ptrace_job *job, int *socket, pid_t *pid,
                           struct pm_error *error);

#endif
