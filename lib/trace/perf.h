/* SPDX-License-Identifier: MIT */
/** @file The backend perf of a trace. Private. */
#ifndef PM_TRACE_PERF_H
#define PM_TRACE_PERF_H

#include "trace/backend.h"

/**
 * Opens the backend perf.
 * @param target  must outlive the backend
 * @param calls   receives its functions
 * @param backend receives its state
 * @param error   as for pm_trace_attach()
 * @return        0 or -1
 */
int pm_trace_perf_open(const struct pm_trace_target *target,
                       const struct pm_trace_backend_calls **calls, void **backend,
                       struct pm_error *error);

#endif
