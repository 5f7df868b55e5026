/* SPDX-License-Identifier: MIT */
/*
 * A trace: events from a backend are applied to the address space. Measurements compare it with
 * /proc/PID/maps and count its resident pages.
 */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <procmem/maps.h>
#include <procmem/minmax.h>
#include <procmem/pagemap.h>

#include "base/array.h"
#include "base/clock.h"
#include "trace/calls.h"
#include "trace/command.h"
#include "trace/compare.h"
#include "trace/exec.h"
#include "trace/openers.h"
#include "trace/result.h"
#include "trace/snapshot.h"
#include "trace/space.h"

enum {
	DEFAULT_STACK = 8192,
	MEASURE_TRIES = 3, /* the target can call exec during a measurement */
};

static const uint64_t millisecond = 1000000;
static const uint64_t second = 1000000000;

static uint64_t now(void)
{
	return pm_clock_ns(CLOCK_MONOTONIC);
}

static struct pm_process *process_of(const struct pm_trace *trace)
{
	return trace->after_exec ? trace->after_exec : trace->process;
}

/** Tests whether an error says that the memory of the process is gone. */
static bool is_gone(const struct pm_error *error)
{
	return error->kind == PM_ERROR_GONE || error->kind == PM_ERROR_NOT_FOUND ||
	       error->kind == PM_ERROR_NO_MEMORY;
}

/** Tests whether an event of exec is late: the exec was noticed and followed before. */
static bool is_followed(struct pm_trace *trace)
{
	bool assumed = trace->exec_assumed;

	trace->exec_assumed = false;
	return assumed && pm_process_check(process_of(trace), NULL) == 0;
}

static int consume(void *context, const struct pm_trace_event *event, struct pm_error *error)
{
	struct pm_trace *trace = context;
	struct pm_trace_event applied = *event;

	if (event->kind == PM_TRACE_LOST) {
		trace->lost += event->arguments[0];
		return 0;
	}

	trace->events++;
	if (event->kind == PM_TRACE_EXEC && event->arguments[0] == 0 && is_followed(trace))
		return 0;
	if (trace->options.per_thread) {
		const struct pm_trace_thread_stack pair = { event->stack, event->tid };

		if (pm_trace_thread_stacks_add(&trace->pairs, pair, &applied.stack, error) < 0)
			return -1;
	}
	if (pm_trace_space_apply(&trace->space, &applied, error) < 0)
		return -1;
	if (event->kind != PM_TRACE_EXEC)
		return 0;

	/* The last measurement is of the old program. */
	trace->measured = false;
	trace->execs += event->arguments[0] == 0;
	return pm_trace_exec_follow(trace, error);
}

int pm_trace_record(struct pm_trace *trace, uint64_t until, struct pm_error *error)
{
	int result = trace->calls->poll(trace->backend, until, false, error);

	if (result <= 0)
		return result;

	trace->exited = true;
	pm_trace_command_reap(&trace->command);
	return trace->calls->poll(trace->backend, now(), true, error) < 0 ? -1 : 0;
}

int pm_trace_drain(struct pm_trace *trace, struct pm_error *error)
{
	/* The second call after the time of the events passes them. */
	for (int i = 0; i < 2 && !trace->exited; i++)
		if (pm_trace_record(trace, now(), error) < 0)
			return -1;
	return 0;
}

/**
 * Finds out whether the memory is gone because of an exit or of exec. The event of exec can come
 * later than the end of the memory.
 */
static int follow_end(struct pm_trace *trace, uint64_t execs, struct pm_error *error)
{
	const struct pm_trace_event event = { .time = now(), .kind = PM_TRACE_EXEC };
	uint64_t end = now() + second;

	if (pm_trace_drain(trace, error) < 0)
		return -1;
	while (!trace->exited && trace->execs == execs && now() < end) {
		trace->exited = pm_trace_exec_ended(trace->process);
		if (!trace->exited && pm_trace_record(trace, now() + 20 * millisecond, error) < 0)
			return -1;
	}
	if (trace->exited || trace->execs > execs)
		return 0;

	/* The event was lost, or is late. */
	trace->events--;
	int result = consume(trace, &event, error);
	trace->exec_assumed = true;
	return result;
}

/**
 * Takes the memory of the target into the list. Events are recorded already, so that no change is
 * missed. If the target has called exec while events were opened, its new program is taken.
 */
static int load_snapshot(struct pm_trace *trace, struct pm_error *error)
{
	struct pm_error cause = { 0 };

	if (pm_trace_snapshot_load(&trace->space, trace->process, true, &cause) == 0)
		return 0;
	if (is_gone(&cause) && !pm_trace_exec_ended(trace->process) &&
	    follow_end(trace, 0, error) == 0 && !trace->exited)
		return 0;

	if (error)
		*error = cause;
	return -1;
}

static int copy_options(struct pm_trace *trace, const struct pm_trace_options *options,
                        struct pm_error *error)
{
	trace->options = *options;
	if (trace->options.stack_size == 0)
		trace->options.stack_size = DEFAULT_STACK;
	if (trace->options.stack_size % 8 == 0 && trace->options.stack_size <= PM_UNWIND_STACK_MAX)
		return 0;

	return pm_error_set(
		error, PM_ERROR_USAGE, 0,
		"the copied size of a stack must be a multiple of 8 and at most %d bytes",
		PM_UNWIND_STACK_MAX);
}

/** Opens all parts in the order in which they need each other. */
static int open_parts(struct pm_trace *trace, const struct pm_trace_setup *setup,
                      struct pm_error *error)
{
	if (pm_trace_space_init(&trace->space, error) < 0)
		return -1;
	trace->space.size = pm_trace_exec_segment_size;
	trace->space.context = trace;

	if (setup->unwind && (pm_stacks_open(&trace->stacks, error) < 0 ||
	                      pm_unwinder_open(trace->process, trace->stacks, trace->options.cancel,
	                                       &trace->unwinder, error) < 0))
		return -1;

	trace->target = (struct pm_trace_target){
		.process = trace->process,
		.started = setup->started,
		.options = &trace->options,
		.unwinder = trace->unwinder,
		.sink = { consume, trace },
	};
	if (setup->open(setup->context, &trace->target, &trace->calls, &trace->backend, error) < 0)
		return -1;

	return load_snapshot(trace, error);
}

int pm_trace_open(const struct pm_trace_setup *setup, struct pm_trace **trace,
                  struct pm_error *error)
{
	uint64_t start = now();
	struct pm_trace *opened = calloc(1, sizeof *opened);
	if (!opened)
		return pm_error_out_of_memory(error);

	pm_regions_init(&opened->segments);
	opened->process = setup->process;
	opened->started = setup->started;
	opened->cpu_ns = pm_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (copy_options(opened, setup->options, error) < 0 ||
	    open_parts(opened, setup, error) < 0) {
		pm_trace_close(opened);
		return -1;
	}

	opened->owned = setup->owned;
	opened->started_ns = now();
	opened->setup_ns = opened->started_ns - start;
	*trace = opened;
	return 0;
}

/** Refuses processes that never have memory: kernel threads and zombies. */
static int check_memory(struct pm_process *process, struct pm_error *error)
{
	struct pm_error cause = { 0 };
	struct pm_regions regions;

	pm_regions_init(&regions);
	int result = pm_maps_read(process, PM_MAPS, &regions, &cause);
	pm_regions_deinit(&regions);

	if (result == 0 || cause.kind != PM_ERROR_NO_MEMORY)
		return 0;
	if (error)
		*error = cause;
	return -1;
}

int pm_trace_attach(struct pm_process *process, const struct pm_trace_options *options,
                    struct pm_trace **trace, struct pm_error *error)
{
	struct pm_trace_setup setup = {
		.process = process,
		.options = options,
		.unwind = true,
		.open = pm_trace_open_perf,
	};

	if (check_memory(process, error) < 0)
		return -1;

	/* ptrace slows a process that runs, hence only if the caller asks for it. */
	if (options->backend == PM_TRACE_PTRACE)
		setup.open = pm_trace_open_ptrace;
	return pm_trace_open(&setup, trace, error);
}

/** Opens the trace of a command that waits before its exec, and lets it call exec. */
static int start_command(struct pm_trace_command *command, const char *name,
                         const struct pm_trace_options *options, struct pm_trace **trace,
                         struct pm_error *error)
{
	struct pm_trace_setup setup = { .owned = true,
		                        .started = true,
		                        .options = options,
		                        .unwind = true,
		                        .open = pm_trace_open_started,
		                        .context = command };

	if (pm_process_open(NULL, command->pid, &setup.process, error) < 0)
		return -1;
	if (pm_trace_open(&setup, trace, error) < 0) {
		pm_process_close(setup.process);
		return -1;
	}
	if (pm_trace_command_exec(command, name, error) == 0)
		return 0;

	pm_trace_close(*trace);
	return -1;
}

int pm_trace_start(char *const *arguments, const struct pm_trace_options *options,
                   struct pm_trace **trace, struct pm_error *error)
{
	struct pm_trace_command command;
	struct pm_trace *started = NULL;

	if (pm_trace_calls_check_command(arguments[0], error) < 0 ||
	    pm_trace_command_fork(&command, arguments, error) < 0)
		return -1;
	if (start_command(&command, arguments[0], options, &started, error) < 0) {
		pm_trace_command_cancel(&command);
		return -1;
	}

	/* The memory of the process before the exec is that of this process: it is dropped now. */
	started->command = command;
	if (pm_trace_drain(started, error) < 0) {
		pm_trace_close(started);
		return -1;
	}

	*trace = started;
	return 0;
}

void pm_trace_close(struct pm_trace *trace)
{
	if (!trace)
		return;

	if (trace->backend)
		trace->calls->close(trace->backend);
	pm_unwinder_close(trace->unwinder);
	pm_stacks_close(trace->stacks);
	pm_trace_space_deinit(&trace->space);
	pm_regions_deinit(&trace->segments);
	pm_trace_thread_stacks_deinit(&trace->pairs);
	pm_trace_result_deinit(&trace->last);
	pm_process_close(trace->after_exec);
	if (trace->owned)
		pm_process_close(trace->process);
	pm_trace_command_reap(&trace->command);
	free(trace);
}

struct pm_process *pm_trace_process(const struct pm_trace *trace)
{
	return process_of(trace);
}

const struct pm_stacks *pm_trace_stacks(const struct pm_trace *trace)
{
	return trace->stacks;
}

void pm_trace_state(const struct pm_trace *trace, struct pm_trace_state *state)
{
	struct pm_unwinder_state unwinder = { 0 };

	if (trace->unwinder)
		pm_unwinder_state(trace->unwinder, &unwinder);

	*state = (struct pm_trace_state){
		.backend = trace->calls->backend,
		.plan = "",
		.setup_ns = trace->setup_ns,
		.running_ns = now() - trace->started_ns,
		.events = trace->events,
		.lost = trace->lost,
		/* The first exec has started the command. */
		.execs = trace->execs - (trace->started && trace->execs > 0),
		.difference = trace->difference,
		.exited = trace->exited,
		.jit_unnamed = trace->jit_unnamed,
		.short_copies = unwinder.cut,
	};
	memcpy(state->stacks_why, unwinder.why, sizeof state->stacks_why);
	state->tracer_ns = pm_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - trace->cpu_ns +
	                   unwinder.unwound_ns;
	trace->calls->state(trace->backend, state);
}

/** Makes a result the last one. It belongs to the trace now. */
static void keep_result(struct pm_trace *trace, struct pm_trace_result *result)
{
	result->seconds = (double)(now() - trace->started_ns) / (double)second;
	if (trace->options.per_thread)
		pm_trace_thread_stacks_replace(&trace->pairs, result);

	pm_trace_result_deinit(&trace->last);
	trace->last = *result;
	trace->measured = true;
}

static int count_pages(struct pm_trace *trace, const volatile sig_atomic_t *cancel,
                       struct pm_error *error)
{
	struct pm_trace_result result;
	struct pm_pagemap *pagemap;

	if (pm_pagemap_open(process_of(trace), PM_PAGEMAP_BEST, &pagemap, error) < 0)
		return -1;

	int status = pm_trace_result_make(&trace->space, pagemap, cancel, &result, error);
	/* The pages of a process that ends concurrently are released: not all were counted. */
	if (status == 0 && pm_process_check(process_of(trace), error) < 0) {
		pm_trace_result_deinit(&result);
		status = -1;
	}
	pm_pagemap_close(pagemap);
	if (status < 0)
		return -1;

	keep_result(trace, &result);
	return 0;
}

static int measure_once(struct pm_trace *trace, bool compared, const volatile sig_atomic_t *cancel,
                        struct pm_error *error)
{
	if (pm_trace_drain(trace, error) < 0)
		return -1;
	if (trace->exited)
		return 0;
	if (compared && pm_trace_compare(trace, error) < 0)
		return -1;
	return count_pages(trace, cancel, error);
}

/** Measures. Repeats this if the target calls exec. Sets `exited` if the target is gone. */
static int measure(struct pm_trace *trace, bool compared, const volatile sig_atomic_t *cancel,
                   struct pm_error *error)
{
	struct pm_error cause = { 0 };

	for (int i = 0; i < MEASURE_TRIES && !trace->exited; i++) {
		uint64_t execs = trace->execs;

		if (measure_once(trace, compared, cancel, &cause) == 0)
			return 0;
		if (!is_gone(&cause))
			break;
		if (follow_end(trace, execs, &cause) < 0)
			break;
	}
	if (trace->exited)
		return 0;

	if (error)
		*error = cause;
	return -1;
}

/**
 * Tests whether a measurement is short enough to be made while events are recorded: during the
 * measurement, no event is read from the buffers. Page tables of 4 GiB take about 0.1 s.
 */
static bool is_small(const struct pm_trace *trace)
{
	const uint64_t size_max = (uint64_t)4 << 30;
	struct pm_process_info info;

	return pm_process_read_info(process_of(trace), &info, NULL) == 0 &&
	       info.vm_rss + info.vm_swap <= size_max;
}

/** Measures from time to time, so that there is a result if the target exits. */
static int measure_regularly(struct pm_trace *trace, struct pm_error *error)
{
	struct pm_error cause = { 0 };
	uint64_t start = now();
	bool compared = trace->lost > trace->corrected;

	if (start < trace->next_measurement)
		return 0;

	int result = 0;
	if (compared || is_small(trace))
		result = measure(trace, compared, trace->options.cancel, &cause);

	/* At most 2 % of the time. A process can exit soon after its start. */
	uint64_t pause = pm_clamp((start - trace->started_ns) / 4, 5 * millisecond, second);
	trace->next_measurement = now() + pm_max(pause, 50 * (now() - start));
	if (result < 0 && cause.kind == PM_ERROR_RESOURCES) {
		if (error)
			*error = cause;
		return -1;
	}
	return 0;
}

/** Returns when a duration is over. */
static uint64_t deadline_of(double seconds)
{
	const double seconds_max = 1e9;

	if (seconds < 0 || seconds > seconds_max)
		return UINT64_MAX;
	return now() + (uint64_t)(seconds * (double)second);
}

/**
 * Returns the maximum time until events are read again. It is short at first: the files of a
 * program can be opened only while the program runs.
 */
static uint64_t pause_of(const struct pm_trace *trace)
{
	return pm_clamp((now() - trace->started_ns) / 10, 2 * millisecond, 100 * millisecond);
}

int pm_trace_run(struct pm_trace *trace, double seconds, enum pm_trace_end *end,
                 struct pm_error *error)
{
	const volatile sig_atomic_t *cancel = trace->options.cancel;
	uint64_t deadline = deadline_of(seconds);

	for (;;) {
		if (trace->exited) {
			*end = PM_TRACE_EXITED;
			return 0;
		}
		if (cancel && *cancel) {
			*end = PM_TRACE_CANCELLED;
			return 0;
		}
		if (now() >= deadline) {
			*end = PM_TRACE_TIME;
			return 0;
		}

		if (pm_trace_record(trace, pm_min(deadline, now() + pause_of(trace)), error) < 0 ||
		    measure_regularly(trace, error) < 0)
			return -1;
	}
}

static int name_stacks(struct pm_trace *trace, struct pm_error *error)
{
	if (!trace->unwinder)
		return 0;
	if (pm_unwinder_name(trace->unwinder, error) < 0)
		return -1;

	/* Without a measurement, the files of the program may not have been found, either. */
	trace->jit_unnamed = !trace->last.unmeasured &&
	                     pm_trace_result_is_unnamed(&trace->last, trace->stacks);
	return 0;
}

/** Makes a result of what was mapped at the exit: the target has exited before a measurement. */
static int list_unmeasured(struct pm_trace *trace, struct pm_error *error)
{
	struct pm_trace_result result;

	if (pm_trace_result_make(&trace->space, NULL, NULL, &result, error) < 0)
		return -1;
	keep_result(trace, &result);
	return 0;
}

/** Measures, if the target has not exited, and finds the names of the stacks. */
static int measure_and_name(struct pm_trace *trace, const volatile sig_atomic_t *cancel,
                            struct pm_error *error)
{
	if (!trace->exited && measure(trace, true, cancel, error) < 0)
		return -1;
	if (!trace->measured && list_unmeasured(trace, error) < 0)
		return -1;
	return name_stacks(trace, error);
}

int pm_trace_measure(struct pm_trace *trace, struct pm_trace_result *result, struct pm_error *error)
{
	const volatile sig_atomic_t *cancel = trace->options.cancel;

	if (cancel && *cancel)
		cancel = NULL;
	if (trace->unwinder)
		pm_unwinder_set_cancel(trace->unwinder, cancel);
	int status = measure_and_name(trace, cancel, error);
	if (trace->unwinder)
		pm_unwinder_set_cancel(trace->unwinder, trace->options.cancel);

	return status < 0 ? -1 : pm_trace_result_copy(&trace->last, result, error);
}

int pm_trace_measure_ranges(struct pm_trace *trace, const struct pm_range *ranges, size_t count,
                            struct pm_trace_result *result, struct pm_error *error)
{
	struct pm_pagemap *pagemap;

	if (pm_pagemap_open(process_of(trace), PM_PAGEMAP_BEST, &pagemap, error) < 0)
		return -1;

	int status = pm_trace_result_make_ranges(&trace->space, pagemap, ranges, count,
	                                         trace->options.cancel, result, error);
	if (status == 0) {
		result->seconds = trace->last.seconds;
		if (trace->options.per_thread)
			pm_trace_thread_stacks_replace(&trace->pairs, result);
	}
	pm_pagemap_close(pagemap);
	return status;
}
