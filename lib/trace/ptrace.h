/* SPDX-License-Identifier: MIT */
/** @file The backend ptrace of a trace. Private. */
#ifndef PM_TRACE_PTRACE_H
#define PM_TRACE_PTRACE_H

#include "trace/backend.h"
#include "trace/command.h"

/**
 * Opens the backend ptrace.
 * @param target   must outlive the backend
 * @param command  the child that waits before its exec, if the target is a command; NULL: the
 *                 target runs
 * @param calls    receives its functions
 * @param backend  receives its state
 * @param error    as for pm_trace_attach(); PM_ERROR_USAGE for page faults
 * @return         0 or -1
 */
int pm_trace_ptrace_open(const struct pm_trace_target *target,
                         const struct pm_trace_command *command,
                         const struct pm_trace_backend_calls **calls, void **backend,
                         struct pm_error *error);

#endif
