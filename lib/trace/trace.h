/* SPDX-License-Identifier: MIT */
/** @file Functions of trace.c for backends, for the start of a command, and for tests. Private. */
#ifndef PM_TRACE_TRACE_H
#define PM_TRACE_TRACE_H

#include <stdbool.h>

#include <procmem/region.h>
#include <procmem/trace.h>

#include "trace/backend.h"
#include "trace/command.h"
#include "trace/space.h"
#include "trace/thread_stacks.h"

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

/** A trace. */
struct pm_trace {
	struct pm_process *process;      /**< the target */
	struct pm_process *after_exec;   /**< the target since its last exec; NULL before */
	bool owned;                      /**< whether `process` is closed with the trace */
	bool started;                    /**< whether it was started for the trace */
	struct pm_trace_command command; /**< if so: the child */
	struct pm_trace_options options;
	struct pm_stacks *stacks;
	struct pm_unwinder *unwinder;  /**< NULL if the backend needs none */
	struct pm_trace_target target; /**< what the backend was opened with */
	const struct pm_trace_backend_calls *calls;
	void *backend;
	struct pm_trace_space space;
	/** With `options.per_thread`: the stacks of `space` are numbers of these pairs */
	struct pm_trace_thread_stacks pairs;

	uint64_t cpu_ns;            /**< CPU time of this process when the trace was opened */
	uint64_t setup_ns;          /**< time to open it */
	uint64_t started_ns;        /**< when it was open */
	struct pm_regions segments; /**< regions, in which segments of shared memory are found */
	uint64_t segments_ns;       /**< when they were read */

	uint64_t events, lost, execs;
	uint64_t corrected; /**< value of `lost` when the list was corrected */
	uint64_t difference;
	bool jit_unnamed;
	bool exited;
	bool exec_assumed; /**< exec was noticed without its event, which may still come */

	struct pm_trace_result last; /**< the last measurement */
	bool measured;               /**< whether there is one */
	uint64_t next_measurement;   /**< when pm_trace_run() measures again */
};

/**
 * Opens a trace: the unwinder, the backend, and then the list of what is mapped already.
 *
 * @param setup  how to open it; its process is not closed on failure
 * @param trace  receives the trace; release with pm_trace_close()
 * @param error  as for pm_trace_attach()
 * @return       0 or -1
 */
int pm_trace_open(const struct pm_trace_setup *setup, struct pm_trace **trace,
                  struct pm_error *error);

/**
 * Applies the events until a time, or until the process exits.
 * @param trace  the trace
 * @param until  time of CLOCK_MONOTONIC in nanoseconds
 * @param error  PM_ERROR_RESOURCES, PM_ERROR_IO, PM_ERROR_UNSUPPORTED
 * @return       0 or -1
 */
int pm_trace_record(struct pm_trace *trace, uint64_t until, struct pm_error *error);

/**
 * Applies all events up to now.
 * @param trace  the trace
 * @param error  as for pm_trace_record()
 * @return       0 or -1
 */
int pm_trace_drain(struct pm_trace *trace, struct pm_error *error);

#endif
