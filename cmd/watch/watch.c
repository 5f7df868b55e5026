/* SPDX-License-Identifier: MIT */
#include "watch/watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/delta.h"
#include "base/interrupt.h"
#include "base/poll_loop.h"
#include "view/terminal.h"
#include "watch/events/events.h"
#include "watch/events/options.h"
#include "watch/json.h"
#include "watch/print.h"
#include "watch/replay.h"
#include "watch/screen/screen.h"
#include "watch/step.h"

static void print_now(const struct watch *watch, struct out *out)
{
	out_measure(out);
	if (watch->options->output.json)
		watch_json_print(watch, false, out);
	else if (!watch->options->output.quiet)
		watch_print(watch, out);
	out_flush(out);
}

/** Whether the user's bounds are reached. */
static bool is_over(struct watch *watch, const struct poll_loop *wait)
{
	const struct watch_options *options = watch->options;
	if (*wait->interrupted)
		watch->ended = "interrupted";
	else if (options->count > 0 && watch->samples >= options->count)
		watch->ended = "looked as often as was wanted";
	/* Half an interval is nothing to wait for. */
	else if (options->seconds > 0 &&
	         watch->sample.time - watch->began >= options->seconds - options->interval / 2)
		watch->ended = "watched as long as was wanted";

	return watch->ended != NULL;
}

/**
 * Prints a look and acts on it.
 * @return whether anything ends it now
 */
static bool look(struct watch *watch, struct events *events, struct out *out)
{
	print_now(watch, out);
	return events_look(events, out) || is_over(watch, events->wait) || out_failed(out);
}

/** Looks again and again, until something ends it. */
static void watch_on(struct watch *watch, struct events *events, struct out *out)
{
	bool over = look(watch, events, out);
	while (!over) {
		if (!poll_loop_wait(events->wait)) {
			events_parse_option(events, out);
			over = is_over(watch, events->wait);
		} else {
			over = !watch_step(watch) || look(watch, events, out);
		}
	}
}

/**
 * Looks, and shows what that gave; where it failed, the screen stays as it is until the user has
 * read it.
 */
static void show(struct watch *watch, struct screen *screen)
{
	if (watch_step(watch)) {
		screen_update(screen);
		return;
	}

	if (!watch->ended)
		watch->ended = "an error ended it";

	/* Why the kernel killed it says more than that it is gone. */
	screen_end(screen, watch->ended_words.length > 0 ? watch->ended : watch->failure.text);
}

/** Shows what events tell. */
static void tell_on_screen(void *context, const char *line)
{
	screen_event(context, line);
}

/** The same on a live screen. */
static void watch_live(struct watch *watch, struct screen *screen, struct events *events,
                       struct out *out)
{
	struct poll_loop *wait = events->wait;
	size_t keys = poll_loop_add(wait, screen->terminal.keys, POLLIN);

	events->tell = tell_on_screen;
	events->teller = screen;

	bool met = events_look(events, out);
	while (!met && (screen->over ? !*wait->interrupted : !is_over(watch, wait))) {
		bool due = poll_loop_wait(wait);
		screen_handle_input(screen);
		/* A terminal that is gone has no more keys, and tells so without end. */
		if (screen->left ||
		    wait->descriptors[keys].revents & (POLLHUP | POLLERR | POLLNVAL))
			break;
		events_parse_option(events, out);
		if (due && !screen->over) {
			show(watch, screen);
			met = !screen->over && events_look(events, out);
		}
	}

	events->tell = NULL;
	if (!watch->ended)
		watch->ended = "the user quit";
}

static void note_no_screen(const struct pm_error *error)
{
	report_note("there is no live screen, only text: %s", error->text);
}

/** Whether there is to be a live screen; says so where the terminal does not allow it. */
static bool is_live(const struct watch_options *options, const struct out *out)
{
	struct pm_error error;
	if (!out->terminal || options->plain || options->output.json || options->output.quiet)
		return false;
	if (terminal_check(&error) == 0)
		return true;

	note_no_screen(&error);
	return false;
}

/** Looks on, on a live screen if there can be one. */
static void watch_in_form(struct watch *watch, struct watch_options *options, struct events *events,
                          struct out *out)
{
	struct screen screen;
	struct pm_error error;
	if (options->live &&
	    screen_open(&screen, watch, options, events->wait, out->colour, &error) == 0) {
		watch_live(watch, &screen, events, out);
		screen_close(&screen, out);
	} else {
		if (options->live)
			note_no_screen(&error);
		watch_on(watch, events, out);
	}
}

/** Looks on and acts, with all that has to be waited for. */
static void watch_and_act(struct watch *watch, struct watch_options *options, struct out *out)
{
	struct poll_loop wait;
	struct events events;
	poll_loop_init(&wait, options->interval);

	if (events_open(&events, watch, &options->events, &wait, &watch->failure) == 0) {
		watch_in_form(watch, options, &events, out);
		events_close(&events, out);
	}

	poll_loop_deinit(&wait);
}

/** Says that the recording is over, and when that was. */
static void end_replay(struct watch *watch)
{
	struct text when = { 0 };
	delta_put_time(&when, watch->sample.wall_ns);
	text_string(&when, ", ");
	if (!watch_replay_ending(watch->replay, &when))
		when.length -= 2;
	watch_end_with(watch, "the recording ends", text_terminate(&when));
	text_deinit(&when);
}

/**
 * Goes over the samples of a recording. They are shown one by one only where that was asked for:
 * whoever has a file wants to know the end.
 */
static void replay(struct watch *watch, struct out *out)
{
	const struct watch_options *options = watch->options;
	bool each = (options->plain || options->output.json) && !options->output.quiet;

	const volatile sig_atomic_t *interrupted = interrupt_hold();
	watch->unjudged = !each;
	if (each)
		print_now(watch, out);

	while (!*interrupted && !out_failed(out) && watch_replay_has_more(watch->replay) &&
	       watch_step(watch))
		if (each)
			print_now(watch, out);

	if (!watch->ended && *interrupted)
		watch->ended = "interrupted";
	else if (!watch->ended)
		end_replay(watch);

	interrupt_release();
	struct pm_error error;
	if (watch_judge_now(watch, &error) < 0 && watch->failure.kind == PM_ERROR_NONE)
		watch->failure = error;
}

/**
 * Sums up.
 * @return exit status
 */
static enum status finish(const struct watch *watch, struct out *out)
{
	if (watch->options->output.json)
		watch_json_print(watch, true, out);
	else
		watch_print_summary(watch, out);

	if (watch->options->output.verbose && !watch->options->output.quiet && !watch->replay)
		report_note(
			"%.1f ms of CPU time for %llu samples, of which the budget held back %llu",
			(double)watch->sample.cost.cpu_ns / 1e6, (unsigned long long)watch->samples,
			(unsigned long long)watch->held_back);

	if (watch->row_count == 0 && watch->none_chosen.kind != PM_ERROR_NONE &&
	    !watch->options->output.quiet)
		report_note("%s", watch->none_chosen.text);

	/* A target that ends is an end like any other; the rest is not what was asked for. */
	if (watch->failure.kind == PM_ERROR_NONE)
		return watch->met ? STATUS_NOTHING : STATUS_OK;
	if (watch->failure.kind != PM_ERROR_GONE)
		return report_failure(&watch->failure);

	if (!watch->options->output.quiet)
		report_note("%s", watch->failure.text);

	return STATUS_OK;
}

/**
 * Takes a recording for a target, where no process is called so.
 * @return 0; -1 with `error` as it was, or why that does not work
 */
static int open_recording(struct target *target, const char *word,
                          const struct watch_options *options, struct pm_error *error)
{
	const char *which;
	char *file = error->kind == PM_ERROR_NOT_FOUND ? target_recording(word, &which) : NULL;
	bool whole = file && strcmp(file, word) == 0;

	free(file);
	if (!whole)
		return -1;

	const char *option = options->events.condition_count > 0 ? "on" : options->live_only;
	if (option)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "--%s is for a living process: of a recording all samples are "
		                    "gone over as they are",
		                    option);

	*target = (struct target){ .word = word, .path = word, .recording = true };
	return 0;
}

static enum status run(struct watch_options *options, const struct cli_result *words,
                       struct out *out)
{
	struct pm_error error;
	struct target target;
	struct watch watch;

	if (selection_add_words(&options->selection, words->operands + 1, words->count - 1,
	                        &error) < 0 ||
	    (target_open_process(&target, words->operands[0], &error) < 0 &&
	     open_recording(&target, words->operands[0], options, &error) < 0))
		return report_failure(&error);

	options->live = options->keep_pages = target.process && is_live(options, out);
	enum status status = STATUS_ERROR;
	if (watch_init(&watch, options, &target, &error) == 0) {
		if (watch.replay)
			replay(&watch, out);
		else
			watch_and_act(&watch, options, out);
		status = finish(&watch, out);
		watch_deinit(&watch);
	} else {
		report_failure(&error);
	}

	target_close(&target);
	return status;
}

enum status watch_run(struct out *out, int argc, char **argv)
{
	struct watch_options options = { .interval = 2, .budget = 0.01, .top = 10 };
	struct cli_result words;
	struct pm_error error;
	if (selection_init(&options.selection, &error) < 0)
		return report_failure(&error);

	enum status status = STATUS_ERROR;
	if (cli_parse(&watch_spec, out, argc, argv, &options, &words) &&
	    cli_check_operands(&watch_spec, &words)) {
		out_set_colour(out, options.output.colour);
		status = events_options_check(&options.events, &error) < 0
		                 ? report_failure(&error)
		                 : run(&options, &words, out);
	} else {
		status = words.status;
	}

	events_options_deinit(&options.events);
	selection_deinit(&options.selection);

	return status;
}
