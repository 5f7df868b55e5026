/* SPDX-License-Identifier: MIT */
/** @file How a trace chooses its backend: functions of the type pm_trace_opener. Private. */
#ifndef PM_TRACE_OPENERS_H
#define PM_TRACE_OPENERS_H

#include "trace/trace.h"

/** Opens the backend perf. The context is not used. */
pm_trace_opener pm_trace_open_perf;

/** Opens the backend ptrace for a process that runs. The context is not used. */
pm_trace_opener pm_trace_open_ptrace;

/**
 * Opens a backend for a command that waits before its exec: that of the options. With
 * PM_TRACE_AUTO, it is ptrace if perf is refused and no page faults are recorded. The context is
 * the struct pm_trace_command.
 */
pm_trace_opener pm_trace_open_started;

#endif
