/* SPDX-License-Identifier: MIT */
/*
 * After exec, the handle of the process belongs to memory that no longer exists, so that the
 * process is opened again, when its new program is loaded.
 */
#include "trace/exec.h"

#include <poll.h>
#include <time.h>

#include <procmem/maps.h>

#include "base/clock.h"
#include "proc/process_stat.h"
#include "trace/calls.h"
#include "trace/snapshot.h"

uint64_t pm_trace_exec_segment_size(void *context, uint64_t start, uint64_t time)
{
	struct pm_trace *trace = context;

	/* Events are handed over in batches. All segments of a batch are found in the regions that
	 * were read for the first of them. */
	if (time >= trace->segments_ns) {
		pm_regions_deinit(&trace->segments);
		pm_regions_init(&trace->segments);
		trace->segments_ns = pm_clock_ns(CLOCK_MONOTONIC);
		if (pm_maps_read(pm_trace_process(trace), PM_MAPS, &trace->segments, NULL) < 0)
			return 0;
	}

	return pm_trace_snapshot_segment(&trace->segments, start);
}

bool pm_trace_exec_ended(const struct pm_process *process)
{
	struct pollfd wait = { .fd = pm_process_poll_fd(process), .events = POLLIN };
	return wait.fd >= 0 && poll(&wait, 1, 0) > 0;
}

/**
 * Waits until the kernel has loaded the new program. Until then, start_code is 0, and the list of
 * regions is not complete.
 */
static void await_program(const struct pm_process *process)
{
	enum { TRIES = 500 };
	const struct timespec pause = { .tv_nsec = 200000 };
	struct pm_process_stat stat;

	for (int i = 0; i < TRIES && !pm_trace_exec_ended(process); i++) {
		if (pm_process_stat_read(&process->procfs, "stat", &stat) < 0 ||
		    stat.start_code != 0)
			return;
		nanosleep(&pause, NULL);
	}
}

int pm_trace_exec_follow(struct pm_trace *trace, struct pm_error *error)
{
	struct pm_process *process;
	struct pm_error cause = { 0 };

	await_program(trace->process);
	int result = pm_process_open(pm_process_root(trace->process),
	                             pm_process_pid(trace->process), &process, &cause);

	if (result == 0 && pm_trace_exec_ended(trace->process)) {
		pm_process_close(process);
		return 0;
	}
	if (result == 0) {
		pm_process_close(trace->after_exec);
		trace->after_exec = process;
		result = pm_trace_calls_check(process, &cause);
	}
	if (result == 0)
		result = pm_trace_snapshot_load(&trace->space, process, false, &cause);

	/* Other failures, such as a program that must not be read, end the next measurement. */
	if (result == 0 || (cause.kind != PM_ERROR_RESOURCES && cause.kind != PM_ERROR_UNSUPPORTED))
		return 0;
	if (error)
		*error = cause;
	return -1;
}
