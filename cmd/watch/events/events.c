/* SPDX-License-Identifier: MIT */
#include "watch/events/events.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "watch/events/print.h"
#include "watch/step.h"

/* Seconds that are waited for commands at the end. */
static const double last_patience = 60;

/** Sizes at which a v1 cgroup is to wake us. */
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

/**
 * Adds the sizes of the group at which a condition may begin to hold. What the group uses is
 * counted before the process has it, and more than that, so that a size a little above is listened
 * to as well.
 */
static void add_marks(struct marks *marks, const struct condition *condition, double max)
{
	bool headroom = condition->subject == CONDITION_HEADROOM;
	if (condition_counts(condition->subject) || condition->below != headroom ||
	    condition->subject == CONDITION_SWAP || condition->subject == CONDITION_SIZE ||
	    condition->subject == CONDITION_RATE)
		return;

	for (size_t i = 0; i < condition->count; i++) {
		double bytes = condition->thresholds[i].value;
		if (condition->percent)
			bytes = bytes * max / 100;
		if (headroom)
			bytes = max - bytes;
		add_mark(marks, bytes);
		add_mark(marks, bytes + bytes / 64 + (1 << 20));
	}
}

/** All of them, and some on the way to the limit of the group. */
static struct marks find_marks(const struct events *events)
{
	enum { STEPS = 32 };
	struct marks marks = { 0 };
	const struct pm_limit *limit = pm_headroom_find(&events->watch->headroom, PM_LIMIT_CGROUP);
	double max = limit ? (double)limit->max : 0;

	for (size_t i = 0; i < events->options->condition_count; i++)
		add_marks(&marks, &events->options->conditions[i], max);

	for (int i = STEPS / 2; limit && i < STEPS; i++)
		add_mark(&marks, max * i / STEPS);

	return marks;
}

/** Says where a unit was probably forgotten: `rss>60` holds at once. */
static void warn_of_bytes(const struct condition *condition)
{
	enum { MANY = 1024 };
	for (size_t i = 0;
	     !condition_counts(condition->subject) && !condition->percent && i < condition->count;
	     i++) {
		const struct threshold *threshold = &condition->thresholds[i];
		if (threshold->value > 0 && threshold->value < MANY)
			report_note("'%s' compares with %.0f bytes; a size in megabytes is %.0fM",
			            threshold->text, threshold->value, threshold->value);
	}
}

/** Says which conditions can never hold, or hold by mistake. */
static void warn(const struct events *events)
{
	for (size_t i = 0;
	     !events->watch->options->output.quiet && i < events->options->condition_count; i++) {
		const struct condition *condition = &events->options->conditions[i];
		if ((condition->percent || condition->subject == CONDITION_HEADROOM) &&
		    !pm_headroom_memory(&events->watch->headroom))
			report_note("'%s' cannot hold: no limit of memory is seen",
			            condition->thresholds->text);
		warn_of_bytes(condition);
	}
}

/** Whether events_look() will find a condition met. */
static bool will_act(void *context)
{
	const struct events *events = context;
	const struct events_options *options = events->options;
	for (size_t i = 0; i < options->condition_count; i++)
		if (evaluate_is_met(&options->conditions[i], events->watch, options->again,
		                    options->cool_down))
			return true;
	return false;
}

int events_open(struct events *events, struct watch *watch, struct events_options *options,
                struct poll_loop *wait, struct pm_error *error)
{
	*events = (struct events){
		.watch = watch, .options = options, .wait = wait, .jobs.wait = wait
	};
	if (options->condition_count == 0)
		return 0;

	warn(events);
	struct marks marks = find_marks(events);
	int status = pm_wakeup_open(watch->target->process, NULL, marks.bytes, marks.count,
	                            &events->wakeup, error);

	free(marks.bytes);
	if (status < 0)
		return -1;

	size_t count;
	const struct pm_wakeup_source *sources = pm_wakeup_sources(events->wakeup, &count);
	events->first_source = wait->count;

	for (size_t i = 0; i < count; i++) {
		poll_loop_add(wait, sources[i].fd, sources[i].events);
		if (watch->options->output.verbose && !watch->options->output.quiet)
			report_note("%s wakes from %s%s%s",
			            sources[i].fd < 0 ? "nothing"
			                              : pm_wakeup_name(sources[i].cause),
			            sources[i].file, sources[i].os_errno ? ": " : "",
			            sources[i].os_errno ? strerror(sources[i].os_errno) : "");
	}

	struct pm_limit_events past;
	events->kills_known = pm_wakeup_read_events(events->wakeup, &past, NULL) == 0 && past.known;
	events->killed = events->kills_known ? past.oom_kill : 0;
	watch->will_act = will_act;
	watch->acting = events;

	return 0;
}

/** Does all actions, and tells. */
static void act(struct events *events, const struct firing *firing, struct out *out)
{
	const struct events_options *options = events->options;
	struct outcome *outcomes = alloc_array(NULL, options->action_count, sizeof *outcomes);

	events->number++;
	for (size_t i = 0; i < options->action_count; i++) {
		actions_run(&options->actions[i], events->watch, firing, events->number,
		            &events->jobs, events->tell != NULL, &outcomes[i]);
		if (options->actions[i].kind == ACTION_EXIT && !events->ended) {
			events->ended = true;
			watch_end_with(events->watch, "a condition was met",
			               firing->threshold->text);
		}
	}

	events_print_firing(events, firing, outcomes, out);
	for (size_t i = 0; i < options->action_count; i++)
		actions_outcome_deinit(&outcomes[i]);

	free(outcomes);
}

static void reap(struct events *events, struct out *out)
{
	struct job job;
	int status;
	while (jobs_reap(&events->jobs, &job, &status))
		events_print_end(events, &job, status, out);
}

/** Tells whom the kernel killed since. */
static void look_for_kills(struct events *events, struct out *out)
{
	struct pm_limit_events now;
	if (!events->kills_known || pm_wakeup_read_events(events->wakeup, &now, NULL) < 0 ||
	    !now.known || now.oom_kill <= events->killed)
		return;
	events_print_kills(events, now.oom_kill - events->killed, out);
	events->killed = now.oom_kill;
}

bool events_look(struct events *events, struct out *out)
{
	const struct events_options *options = events->options;
	struct firing firing;

	if (!events->wakeup)
		return false;

	reap(events, out);
	look_for_kills(events, out);
	for (size_t i = 0; i < options->condition_count; i++)
		if (evaluate_conditions(&options->conditions[i], events->watch, options->again,
		                        options->cool_down, &firing))
			act(events, &firing, out);

	events->watch->met = events->ended;
	return events->ended;
}

void events_parse_option(struct events *events, struct out *out)
{
	size_t count;
	bool woken = false;

	if (!events->wakeup)
		return;

	const struct pm_wakeup_source *sources = pm_wakeup_sources(events->wakeup, &count);
	for (size_t i = 0; i < count; i++) {
		struct pollfd *descriptor = &events->wait->descriptors[events->first_source + i];
		if (pm_wakeup_consume(events->wakeup, i, descriptor->revents)) {
			events_print_wakeup(events, &sources[i], out);
			woken = true;
		}
		/* One that broke is closed. */
		descriptor->fd = sources[i].fd;
	}

	if (woken)
		poll_loop_hasten(events->wait);
	reap(events, out);
	out_flush(out);
}

/** Waits for the commands that still run, and leaves those that do not end. */
static void finish_commands(struct events *events, struct out *out)
{
	struct poll_loop *wait = events->wait;
	struct jobs *jobs = &events->jobs;

	/* Nothing else is waited for any more. */
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
		if (jobs->items[i].pid != 0 && !events->watch->options->output.quiet)
			report_note("'%s' (PID %d) still runs, and is left to itself",
			            jobs->items[i].line, (int)jobs->items[i].pid);

	jobs_leave(jobs);
}

void events_close(struct events *events, struct out *out)
{
	if (!events->wakeup)
		return;

	events->watch->will_act = NULL;
	look_for_kills(events, out);
	out_flush(out);
	finish_commands(events, out);
	pm_wakeup_close(events->wakeup);
	*events = (struct events){ 0 };
}
