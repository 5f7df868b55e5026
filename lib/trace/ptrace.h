/* SPDX-License-Identifier: MIT */
/** @file The backend ptrace of a trace. Private. */
#ifndef PM_TRACE_PTRACE_H
#define PM_TRACE_PTRACE_H

#include <stdbool.h>

#include "trace/backend.h"

/**
 * Opens the backend ptrace.
 * @param target   must outlive the backend
 * @param started  whether the process is a child that has installed the filter of seccomp(2) and is
 *                 stopped before its exec
 * @param calls    receives its functions
 * @param backend  receives its state
 * @param error    as for pm_trace_attach()
 * @return         0 or -1
 */
int pm_trace_ptrace_open(const struct pm_trace_target *target, bool started,
                         const struct pm_trace_backend_calls **calls, void **backend,
                         struct pm_error *error);

#endif
