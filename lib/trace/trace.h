/* SPDX-License-Identifier: MIT */
/** @file Functions of trace.c for backends, for the start of a command, and for tests. Private. */
#ifndef PM_TRACE_TRACE_H
#define PM_TRACE_TRACE_H

#include <stdbool.h>

#include <procmem/trace.h>

#include "trace/backend.h"

/**
 * Opens a backend.
 *
 * @param context  `context` of pm_trace_setup
 * @param target   must outlive the backend
 * @param calls    receives its functions
 * @param backend  receives its state
 * @param error    as for pm_trace_attach()
 * @return         0 or -1
 */
typedef int pm_trace_opener(void *context, const struct pm_trace_target *target,
                            const struct pm_trace_backend_calls **calls, void **backend,
                            struct pm_error *error);

/** How a trace is opened. */
struct pm_trace_setup {
	struct pm_process *process; /**< the target; must outlive the trace */
	bool owned;                 /**< whether pm_trace_close() closes the process */
	bool started; /**< whether the process is a command that waits before its exec */
	const struct pm_trace_options *options; /**< what is recorded; copied */
	/** Whether the backend needs an unwinder; if not, its numbers of stacks are in no store */
	bool unwind;
	pm_trace_opener *open; /**< opens the backend */
	void *context;         /**< first argument of `open` */
};

/**
 * Opens a trace: the unwinder, the backend, and then the list of what is mapped already.
 *
 * @param setup  how; its process is not closed on failure
 * @param trace  receives the trace; release with pm_trace_close()
 * @param error  as for pm_trace_attach()
 * @return       0 or -1
 */
int pm_trace_open(const struct pm_trace_setup *setup, struct pm_trace **trace,
                  struct pm_error *error);

#endif
