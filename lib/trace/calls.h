/* SPDX-License-Identifier: MIT */
/** @file Which system calls change the address space: common to all backends. Private. */
#ifndef PM_TRACE_CALLS_H
#define PM_TRACE_CALLS_H

#include <stdbool.h>

#include <procmem/process.h>

#include "trace/events.h"

/**
 * Tests whether a trace uses an event: a call that failed changes nothing. A failed munmap and
 * mremap are used, because the trace has removed the memory when the call began.
 * @param event  an event of a system call
 * @return       whether the event is to be passed to the trace
 */
bool pm_trace_call_is_used(const struct pm_trace_event *event);

/**
 * Tests whether an advice of madvise(2) creates pages without page faults.
 * @param advice  third argument of madvise(2)
 * @return        true or false
 */
bool pm_trace_call_populates(uint64_t advice);

/**
 * Tests whether an event can add a file with code: then the unwinder has to read maps again. Memory
 * without a file, in which runtimes generate code, does not count.
 * @param event  an event that is used
 * @return       whether the list of files with code may have changed
 */
bool pm_trace_call_maps_code(const struct pm_trace_event *event);

/**
 * Refuses a process that runs a 32-bit program: its system calls have other numbers.
 * @param process  the process
 * @param error    PM_ERROR_UNSUPPORTED
 * @return         0, also if the program cannot be read; -1 if it is refused
 */
int pm_trace_calls_check(struct pm_process *process, struct pm_error *error);

/**
 * Refuses a command that is a 32-bit program, before it is started. A script is not refused, also
 * if its interpreter is such a program.
 * @param name   the program, as for execvp(3)
 * @param error  PM_ERROR_UNSUPPORTED
 * @return       0, also if there is no such program; -1 if it is refused
 */
int pm_trace_calls_check_command(const char *name, struct pm_error *error);

#endif
