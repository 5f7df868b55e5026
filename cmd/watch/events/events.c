/* SPDX-License-Identifier: MIT */
#include "watch/events/events.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/report.h"
#include "watch/events/perform.h"

/* Maximum time to wait for running commands at the end, in seconds. */
static const double last_patience = 60;

/**
 * Memory sizes, in bytes: when a cgroup (version 1) reaches one of them, the kernel is to send a
 * notification.
 */
struct marks {
	uint64_t *bytes;
	size_t count;
};

static void add_mark(struct marks *marks, double bytes)
{
	if (bytes < 1 || bytes > 1e18)
		return;

	marks->bytes = alloc_array(marks->bytes, marks->count + 1, sizeof *marks->bytes);
	marks->bytes[marks->count++] = (uint64_t)bytes;
}

/** Checks whether growth of the memory that is charged to the cgroup can make a condition hold. */
static bool follows_cgroup(const struct condition *condition)
{
	bool headroom = condition->subject == CONDITION_HEADROOM;
	if (condition_counts(condition->subject) || condition->below != headroom)
		return false;

	switch (condition->subject) {
	case CONDITION_SWAP:
	case CONDITION_SIZE:
	case CONDITION_RATE:
		return false;
	default:
		return true;
	}
}

/**
 * Adds a mark for each size of the cgroup at which the condition may start to hold. Memory is
 * charged to the cgroup before it is counted for the process, and the cgroup contains more than the
 * process, so the process may still be below its threshold when the cgroup reaches the mark. For
 * this case, a second mark is added a little above each one.
 */
static void add_marks(struct marks *marks, const struct condition *condition, double max)
{
	if (!follows_cgroup(condition))
		return;

	for (size_t i = 0; i < condition->count; i++) {
		double bytes = condition->thresholds[i].value;
		if (condition->percent)
			bytes = bytes * max / 100;
		if (condition->subject == CONDITION_HEADROOM)
			bytes = max - bytes;
		add_mark(marks, bytes);
		add_mark(marks, bytes + bytes / 64 + (1 << 20));
	}
}

/**
 * Collects the marks of all conditions. If the cgroup has a memory limit, evenly spaced marks from
 * half of this limit up to the limit are added.
 */
static struct marks find_marks(const struct events *events)
{
	enum { STEPS = 32 };
	struct marks marks = { 0 };
	const struct pm_limit *limit = pm_headroom_find(&events->report.history->headroom,
	                                                PM_LIMIT_CGROUP);
	double max = limit ? (double)limit->max : 0;

	for (size_t i = 0; i < events->options->condition_count; i++)
		add_marks(&marks, &events->options->conditions[i], max);

	for (int i = STEPS / 2; limit && i < STEPS; i++)
		add_mark(&marks, max * i / STEPS);

	return marks;
}

/**
 * Warns of a small value without a unit, such as `rss>60`. This condition compares with 60 bytes
 * and therefore holds at once; probably 60 MiB or 60 GiB were meant.
 */
static void warn_of_bytes(const struct condition *condition)
{
	enum { MANY = 1024 };

	if (condition_counts(condition->subject) || condition->percent)
		return;

	for (size_t i = 0; i < condition->count; i++) {
		const struct threshold *threshold = &condition->thresholds[i];
		if (threshold->value > 0 && threshold->value < MANY)
			report_note("'%s' means %.0f bytes; for megabytes, write %.0fM",
			            threshold->text, threshold->value, threshold->value);
	}
}

/** Warns of conditions that can never hold, or whose values probably lack a unit. */
static void warn(const struct events *events)
{
	bool limited = pm_headroom_memory(&events->report.history->headroom) != NULL;

	for (size_t i = 0; i < events->options->condition_count; i++) {
		const struct condition *condition = &events->options->conditions[i];
		if (!limited && (condition->percent || condition->subject == CONDITION_HEADROOM))
			report_note("the condition '%s' can never be met, because no memory limit "
			            "was found",
			            condition->thresholds->text);
		warn_of_bytes(condition);
	}
}

/** Checks whether events_evaluate() will find a condition met. Implements watch_run.will_act. */
static bool will_act(void *context)
{
	const struct events *events = context;
	const struct events_options *options = events->options;

	for (size_t i = 0; i < options->condition_count; i++)
		if (evaluate_is_met(&options->conditions[i], &events->evaluate))
			return true;

	return false;
}

static void report_source(const struct pm_wakeup_source *source)
{
	const char *reason = source->os_errno ? strerror(source->os_errno) : "";
	const char *colon = source->os_errno ? ": " : "";

	if (source->fd < 0)
		report_note("cannot receive kernel events from %s%s%s", source->file, colon,
		            reason);
	else
		report_note("kernel events '%s' are received from %s%s%s",
		            pm_wakeup_name(source->cause), source->file, colon, reason);
}

static void add_sources(struct events *events)
{
	const struct output_options *output = &events->report.run->options->output;
	size_t count;
	const struct pm_wakeup_source *sources = pm_wakeup_sources(events->wakeup, &count);

	events->first_source = events->wait->count;
	for (size_t i = 0; i < count; i++) {
		poll_loop_add(events->wait, sources[i].fd, sources[i].events);
		if (output->verbose && !output->quiet)
			report_source(&sources[i]);
	}
}

int events_open(struct events *events, struct watch_run *run, const struct watch_history *history,
                struct events_options *options, struct poll_loop *wait, struct pm_error *error)
{
	*events = (struct events){ .report = { .run = run, .history = history },
		                   .options = options,
		                   .evaluate = { .history = history,
		                                 .select = run->options->selection.select,
		                                 .again = options->again,
		                                 .cool_down = options->cool_down },
		                   .wait = wait,
		                   .jobs.wait = wait };
	if (options->condition_count == 0)
		return 0;

	if (!run->options->output.quiet)
		warn(events);

	struct marks marks = find_marks(events);
	int status = pm_wakeup_open(run->target->process, NULL, marks.bytes, marks.count,
	                            &events->wakeup, error);
	free(marks.bytes);
	if (status < 0)
		return -1;

	add_sources(events);

	struct pm_limit_events past;
	events->kills_known = pm_wakeup_read_events(events->wakeup, &past, NULL) == 0 && past.known;
	if (events->kills_known)
		events->killed = past.oom_kill;

	run->will_act = will_act;
	run->acting = events;
	return 0;
}

/** Performs all actions for a condition that was met, and reports their outcomes. */
static void act(struct events *events, const struct firing *firing, struct out *out)
{
	const struct events_options *options = events->options;
	struct perform_outcome *outcomes = alloc_array(NULL, options->action_count,
	                                               sizeof *outcomes);
	const struct perform_event event = { .run = events->report.run,
		                             .history = events->report.history,
		                             .firing = firing,
		                             .number = ++events->number,
		                             .jobs = &events->jobs,
		                             .silent = events->report.listener != NULL };

	for (size_t i = 0; i < options->action_count; i++) {
		perform_action(&options->actions[i], &event, &outcomes[i]);
		if (options->actions[i].kind == ACTION_EXIT && !events->report.run->met) {
			events->report.run->met = true;
			watch_run_end_with(events->report.run, "a condition was met",
			                   firing->threshold->text);
		}
	}

	events_print_firing(&events->report, firing, outcomes, out);
	for (size_t i = 0; i < options->action_count; i++)
		perform_outcome_deinit(&outcomes[i]);

	free(outcomes);
}

static void reap(struct events *events, struct out *out)
{
	struct job job;
	int status;

	while (jobs_reap(&events->jobs, &job, &status))
		events_print_end(&events->report, &job, status, out);
}

/** Reports the OOM kills since the last check. */
static void check_kills(struct events *events, struct out *out)
{
	struct pm_limit_events now;

	if (!events->kills_known || pm_wakeup_read_events(events->wakeup, &now, NULL) < 0 ||
	    !now.known || now.oom_kill <= events->killed)
		return;

	events_print_kills(&events->report, now.oom_kill - events->killed, out);
	events->killed = now.oom_kill;
}

bool events_evaluate(struct events *events, struct out *out)
{
	const struct events_options *options = events->options;
	struct firing firing;

	if (!events->wakeup)
		return false;

	reap(events, out);
	check_kills(events, out);
	for (size_t i = 0; i < options->condition_count; i++)
		if (evaluate_condition(&options->conditions[i], &events->evaluate, &firing))
			act(events, &firing, out);

	return events->report.run->met;
}

void events_receive(struct events *events, struct out *out)
{
	size_t count;
	bool woken = false;

	if (!events->wakeup)
		return;

	const struct pm_wakeup_source *sources = pm_wakeup_sources(events->wakeup, &count);
	for (size_t i = 0; i < count; i++) {
		struct pollfd *descriptor = &events->wait->descriptors[events->first_source + i];
		if (pm_wakeup_consume(events->wakeup, i, descriptor->revents)) {
			events_print_wakeup(&events->report, &sources[i], out);
			woken = true;
		}

		/* If reading a source failed, the source was closed and its descriptor is -1, so it
		 * is no longer polled. */
		descriptor->fd = sources[i].fd;
	}

	if (woken)
		poll_loop_hasten(events->wait);
	reap(events, out);
	out_flush(out);
}

/**
 * Waits until the running commands end, for a minute at most. Commands that do not end are left
 * running.
 */
static void finish_commands(struct events *events, struct out *out)
{
	struct poll_loop *wait = events->wait;
	struct jobs *jobs = &events->jobs;

	/* From now on, wait only for commands. */
	for (size_t i = 0; i < wait->count; i++)
		wait->descriptors[i].fd = -1;

	for (size_t i = 0; i < jobs->count; i++)
		if (jobs->items[i].pid != 0)
			wait->descriptors[jobs->items[i].wait].fd = jobs->items[i].ended;

	poll_loop_postpone(wait, last_patience);
	for (reap(events, out); jobs_run(jobs) && !*wait->interrupted; reap(events, out))
		if (poll_loop_wait(wait))
			break;

	for (size_t i = 0; i < jobs->count; i++)
		if (jobs->items[i].pid != 0 && !events->report.run->options->output.quiet)
			report_note("the command '%s' (PID %d) still runs; watch does not end it",
			            jobs->items[i].line, (int)jobs->items[i].pid);

	jobs_leave(jobs);
}

void events_close(struct events *events, struct out *out)
{
	if (!events->wakeup)
		return;

	events->report.run->will_act = NULL;
	check_kills(events, out);
	out_flush(out);
	finish_commands(events, out);
	pm_wakeup_close(events->wakeup);
	*events = (struct events){ 0 };
}
