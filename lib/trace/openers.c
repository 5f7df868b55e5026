/* SPDX-License-Identifier: MIT */
#include "trace/openers.h"

#include "trace/perf.h"
#include "trace/ptrace.h"

int pm_trace_open_perf(void *context, const struct pm_trace_target *target,
                       const struct pm_trace_backend_calls **calls, void **backend,
                       struct pm_error *error)
{
	(void)context;
	return pm_trace_perf_open(target, calls, backend, error);
}

int pm_trace_open_ptrace(void *context, const struct pm_trace_target *target,
                         const struct pm_trace_backend_calls **calls, void **backend,
                         struct pm_error *error)
{
	(void)context;
	return pm_trace_ptrace_open(target, NULL, calls, backend, error);
}

int pm_trace_open_started(void *context, const struct pm_trace_target *target,
                          const struct pm_trace_backend_calls **calls, void **backend,
                          struct pm_error *error)
{
	enum pm_trace_backend choice = target->options->backend;
	struct pm_error cause = { 0 };

	if (choice == PM_TRACE_PTRACE)
		return pm_trace_ptrace_open(target, context, calls, backend, error);
	if (pm_trace_perf_open(target, calls, backend, &cause) == 0)
		return 0;

	bool refused = cause.kind == PM_ERROR_ACCESS || cause.kind == PM_ERROR_UNSUPPORTED;
	if (refused && choice == PM_TRACE_AUTO && !target->options->faults)
		return pm_trace_ptrace_open(target, context, calls, backend, error);

	if (error)
		*error = cause;
	return -1;
}
