/* SPDX-License-Identifier: MIT */
#include "trace/perf.h"

int pm_trace_perf_open(const struct pm_trace_target *target,
                       const struct pm_trace_backend_calls **calls, void **backend,
                       struct pm_error *error)
{
	(void)target;
	(void)calls;
	(void)backend;
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0, "this version cannot use perf");
}
