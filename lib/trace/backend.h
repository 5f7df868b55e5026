/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The interface between a trace and its backends. Private.
 */
#ifndef PM_TRACE_BACKEND_H
#define PM_TRACE_BACKEND_H

#include <stdbool.h>

#include <procmem/trace.h>
#include <procmem/unwinder.h>

#include "trace/events.h"

/** Receives the events of a backend, in the order of their times. */
struct pm_trace_sink {
	/** Called for each event. Returns 0, or -1 with `error` filled to end the trace. */
	int (*event)(void *context, const struct pm_trace_event *event, struct pm_error *error);
	void *context; /**< first argument of `event` */
};

/** A backend. Each function has the backend's own state as its first argument. */
struct pm_trace_backend_calls {
	enum pm_trace_backend backend; /**< its number */
	/** Releases the backend; the target runs on. */
	void (*close)(void *backend);
	/**
	 * Waits for events until a time (nanoseconds of CLOCK_MONOTONIC) or until some were
	 * recorded, and passes the events whose order is certain to the sink. An event is passed
	 * at the latest by the second call that begins after its time. A signal ends the wait. The
	 * backend calls pm_unwinder_refresh() where needed, because it unwinds the stacks before it
	 * passes the events.
	 * @param last  whether no call follows: all events are passed
	 * @return      1 if the target has exited, 0, or -1
	 */
	int (*poll)(void *backend, uint64_t until, bool last, struct pm_error *error);
	/** Fills the fields of the state that only the backend has. */
	void (*state)(const void *backend, struct pm_trace_state *state);
};

/** What a backend needs to be opened. */
struct pm_trace_target {
	struct pm_process *process; /**< the target */
	/** Whether the target is a command that has not called exec yet: its program is unknown */
	bool started;
	const struct pm_trace_options *options; /**< with all defaults filled in */
	struct pm_unwinder *unwinder; /**< unwinds the stacks; NULL: all are PM_STACK_NONE */
	struct pm_trace_sink sink;    /**< receives the events */
};

#endif
