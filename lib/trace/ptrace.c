/* SPDX-License-Identifier: MIT */
#include "trace/ptrace.h"

int pm_trace_ptrace_open(const struct pm_trace_target *target, bool started,
                         const struct pm_trace_backend_calls **calls, void **backend,
                         struct pm_error *error)
{
	(void)target;
	(void)started;
	(void)calls;
	(void)backend;
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "this version cannot use ptrace");
}
