/* SPDX-License-Identifier: MIT */
#include "watch/watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/delta.h"
#include "base/interrupt.h"
#include "base/poll_loop.h"
#include "view/terminal.h"
#include "watch/csv.h"
#include "watch/events/events.h"
#include "watch/family/family.h"
#include "watch/heap.h"
#include "watch/json.h"
#include "watch/options.h"
#include "watch/print.h"
#include "watch/replay.h"
#include "watch/screen/screen.h"
#include "watch/several.h"
#include "watch/step.h"

const struct cli_spec watch_spec = {
	.command = "watch",
	.operands = "TARGET [REGION]...",
	.purpose = "Watches a process and reports which of its regions grow, how fast, whether\n"
		   "the growth is steady (a leak), a single burst, or has stopped, and when the\n"
		   "memory limit will be reached.",
	.groups = watch_options_groups,
	.exclusive = watch_options_exclusive,
	.notes = "TARGET is a PID, a process name that matches exactly one process, several PIDs\n"
		 "separated by commas (a row for each process), or a recording, of which all\n"
		 "samples are analysed. Regions are measured only when the totals of the process\n"
		 "change. On a terminal, watch shows a live screen; the key ? lists all keys.\n"
		 "Ctrl-C ends watch and prints a summary. In a pipe or file, only the summary is\n"
		 "printed if --for or -c is given.",
	.absent = { "by", "the key g of the screen sums up by kind; map and diff have --by kind" },
	.examples = {
		{ "procmem watch java",
		  "show what grows in the process called java, every two seconds" },
		{ "procmem watch --for 1h -i 10 --record java.pmrec -q java",
		  "record for an hour, and print only the summary" },
	},
	.operands_min = 1,
	.operands_max = -1,
};

static void print_sample(const struct watch *watch, struct out *out)
{
	const struct watch_options *options = watch->run.options;

	out_measure(out);
	if (options->output.json)
		watch_json_print(&watch->run, &watch->history, &watch->view, false, out);
	else if (!options->output.quiet && !watch_options_is_report(options, out))
		watch_print(&watch->run, &watch->history, &watch->view, out);
	out_flush(out);
}

/** Checks whether the user interrupted the run, or a limit of the options was reached. */
static bool is_over(struct watch *watch, const struct poll_loop *wait)
{
	const struct watch_options *options = watch->run.options;
	const struct watch_history *history = &watch->history;
	double seconds = history->sample.time - history->began;

	if (*wait->interrupted)
		watch->run.ended = "interrupted";
	else if (options->count > 0 && history->samples >= options->count)
		watch->run.ended = "sample count reached";
	/* End also if the time of --for is less than half an interval away: the next sample would
	 * be taken more than half an interval after that time. */
	else if (options->seconds > 0 && seconds >= options->seconds - options->interval / 2)
		watch->run.ended = "time limit reached";

	return watch->run.ended != NULL;
}

/**
 * Prints a sample and performs actions.
 * @return true if the run ends
 */
static bool process_sample(struct watch *watch, struct events *events, struct out *out)
{
	print_sample(watch, out);
	return events_evaluate(events, out) || is_over(watch, events->wait) || out_failed(out);
}

/** Takes samples and prints them as text until the run ends. */
static void watch_text(struct watch *watch, struct events *events, struct out *out)
{
	bool over = process_sample(watch, events, out);

	while (!over) {
		if (poll_loop_wait(events->wait)) {
			over = !watch_step_next(watch) || process_sample(watch, events, out);
		} else {
			events_receive(events, out);
			over = is_over(watch, events->wait);
		}
	}
}

/**
 * Takes a sample and shows it. If no sample can be taken, the screen shows the reason and stays
 * open until the user quits, or the time of --for or -c is over.
 */
static void show_sample(struct watch *watch, struct screen *screen)
{
	struct watch_run *run = &watch->run;

	if (watch_step_next(watch)) {
		screen_update(screen);
		return;
	}

	/* If the kernel killed the process, show why it was killed, not only that the process is
	 * gone. */
	bool killed = run->ended_text.length > 0;
	screen_end(screen, killed ? run->ended : run->failure.text);
}

/** Shows an event. Implements events_listener. */
static void show_event(void *context, const char *line)
{
	screen_event(context, line);
}

/** Checks whether the live screen must end although the user has not quit. */
static bool is_screen_over(struct watch *watch, const struct screen *screen,
                           const struct poll_loop *wait)
{
	double seconds = clock_boot_seconds() - watch->history.began;

	if (!screen->state.over)
		return is_over(watch, wait);

	/* The process has ended. The screen shows its last sample until the end of --for or -c. */
	return *wait->interrupted || watch_options_time_is_over(watch->run.options, seconds);
}

/** Takes samples and shows them on a live screen until the run ends. */
static void watch_live(struct watch *watch, struct screen *screen, struct events *events,
                       struct out *out)
{
	struct poll_loop *wait = events->wait;
	size_t keys = poll_loop_add(wait, screen->terminal.keys, POLLIN);

	events->report.listener = show_event;
	events->report.context = screen;

	bool met = events_evaluate(events, out);
	while (!met && !is_screen_over(watch, screen, wait)) {
		bool due = poll_loop_wait(wait);
		screen_handle_input(screen);

		/* If the terminal is closed, its descriptor is always ready but delivers no more
		 * keys: end instead of polling it in a busy loop. */
		if (screen->state.left ||
		    wait->descriptors[keys].revents & (POLLHUP | POLLERR | POLLNVAL))
			break;

		events_receive(events, out);
		if (due && !screen->state.over) {
			show_sample(watch, screen);
			met = !screen->state.over && events_evaluate(events, out);
		}
	}

	events->report.listener = NULL;
	watch_run_end(&watch->run, "the user quit");
}

static void note_no_screen(const struct pm_error *error)
{
	report_note("text is printed instead of a live screen: %s", error->text);
}

/** Checks whether the user wants a live screen, and the terminal can show it. */
static bool is_live(const struct watch_options *options, const struct out *out)
{
	struct pm_error error;

	if (!out->terminal || options->plain || options->output.csv || options->output.json ||
	    options->output.quiet)
		return false;
	if (terminal_check(&error) == 0)
		return true;

	note_no_screen(&error);
	return false;
}

/** Takes samples, on a live screen if possible. */
static void watch_process(struct watch *watch, struct events *events, struct out *out)
{
	struct screen screen;
	struct pm_error error;

	if (!watch->run.options->live) {
		watch_text(watch, events, out);
	} else if (screen_open(&screen, watch, events->wait, out->colour, &error) < 0) {
		note_no_screen(&error);
		watch_text(watch, events, out);
	} else {
		watch_live(watch, &screen, events, out);
		screen_close(&screen, out);
	}
}

/** Takes samples and performs actions. */
static void watch_and_act(struct watch *watch, struct watch_options *options, struct out *out)
{
	struct poll_loop wait;
	struct events events;

	poll_loop_init(&wait, options->interval);
	if (events_open(&events, &watch->run, &watch->history, &options->events, &wait,
	                &watch->run.failure) == 0) {
		watch_process(watch, &events, out);
		watch_heap_cancel(watch->run.heap);
		events_close(&events, out);
	}

	poll_loop_deinit(&wait);
}

/**
 * Sets the reason why the run ended: the end of the recording, with its time. If the recording
 * contains the reason why the process ended, this reason is added.
 */
static void end_replay(struct watch *watch)
{
	struct text when = { 0 };

	delta_put_time(&when, watch->history.sample.wall_ns);
	size_t length = when.length;
	text_string(&when, ", ");
	if (!watch_replay_ending(watch->run.replay, &when))
		when.length = length;

	watch_run_end_with(&watch->run, "the recording ends", text_terminate(&when));
	text_deinit(&when);
}

/**
 * Reads all samples of a recording. Each sample is printed only with --plain or --json, and only
 * without --quiet.
 */
static void replay(struct watch *watch, struct out *out)
{
	const struct watch_options *options = watch->run.options;
	struct watch_run *run = &watch->run;
	bool each = (options->plain || options->output.json) && !options->output.quiet;

	const volatile sig_atomic_t *interrupted = interrupt_hold();
	watch->view.unjudged = !each;
	if (each)
		print_sample(watch, out);

	while (!*interrupted && !out_failed(out) && watch_replay_has_more(run->replay) &&
	       watch_step_next(watch))
		if (each)
			print_sample(watch, out);

	if (!run->ended && *interrupted)
		run->ended = "interrupted";
	else if (!run->ended)
		end_replay(watch);

	interrupt_release();

	struct pm_error error;
	if (watch_step_judge(watch, &error) < 0 && run->failure.kind == PM_ERROR_NONE)
		run->failure = error;
}

/** Reports why the chunks in a recording are not shown, and which command shows them. */
static void note_chunks(const struct watch_run *run)
{
	size_t walks = run->replay ? watch_replay_walks(run->replay) : 0;
	const char *path = run->target->path;

	if (walks == 0)
		return;

	report_note("the chunks of malloc in %s are not shown: the recording has their number at "
	            "%zu walk%s over the heap, but not which chunks were new; 'procmem diff "
	            "%s@first %s' shows what grew",
	            path, walks, text_plural(walks), path, path);
}

/**
 * Reports on stderr the cost of all samples (with --verbose), why there are no rows if no region
 * was chosen, and why the chunks of a recording are not shown. The summary contains none of these.
 */
static void report_notes(const struct watch *watch)
{
	const struct watch_history *history = &watch->history;
	const struct pm_error *none = &watch->view.none_chosen;

	if (watch->run.options->output.verbose && !history->recorded)
		report_note("%.1f ms of CPU time for %llu sample%s; in %llu of these, --budget did "
		            "not allow the regions to be measured",
		            (double)history->sample.cost.cpu_ns / 1e6,
		            (unsigned long long)history->samples, text_plural(history->samples),
		            (unsigned long long)history->held_back);

	if (watch->view.row_count == 0 && none->kind != PM_ERROR_NONE)
		report_note("%s", none->text);
	note_chunks(&watch->run);
}

/**
 * Prints the summary.
 * @return exit status
 */
static enum status finish(const struct watch *watch, struct out *out)
{
	const struct watch_run *run = &watch->run;
	const struct output_options *output = &run->options->output;
	const struct pm_error *failure = &run->failure;

	if (output->json)
		watch_json_print(run, &watch->history, &watch->view, true, out);
	else if (output->csv)
		watch_csv_print(run, &watch->history, &watch->view, out);
	else
		watch_print_summary(run, &watch->history, &watch->view, out);

	if (!output->quiet)
		report_notes(watch);

	if (failure->kind == PM_ERROR_NONE)
		return run->met ? STATUS_NOTHING : STATUS_OK;
	if (failure->kind != PM_ERROR_GONE)
		return report_failure(failure);

	/* The process is gone. This is not an error, so only a note is printed. */
	if (!output->quiet)
		report_note("%s", failure->text);

	return STATUS_OK;
}

/**
 * Uses the file with the name `word` as the target if it is a recording. Called if no process has
 * this name.
 * @param error contains the reason why no process was found
 * @return 0 or -1; on failure `error` is unchanged, or set to the reason why the recording cannot
 *   be used
 */
static int open_recording(struct target *target, const char *word,
                          const struct watch_options *options, struct pm_error *error)
{
	const char *which, *option = options->live_only;
	char *file = NULL;

	if (error->kind == PM_ERROR_NOT_FOUND)
		file = target_recording(word, &which);

	bool whole = file && strcmp(file, word) == 0;
	free(file);
	if (!whole)
		return -1;

	if (options->events.condition_count > 0)
		option = "on";
	if (option)
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"--%s cannot be used with a recording: all its samples are read", option);

	*target = (struct target){ .word = word, .path = word, .recording = true };
	return 0;
}

static int open_target(struct target *target, struct watch_options *options, const char *word,
                       struct pm_error *error)
{
	if (target_open_process(target, word, error) == 0)
		return 0;

	return open_recording(target, word, options, error);
}

/** Watches one process, or analyses a recording. */
static enum status run_one(struct watch_options *options, const char *word, struct out *out)
{
	struct pm_error error;
	struct target target;
	enum status status = STATUS_ERROR;

	if (open_target(&target, options, word, &error) < 0)
		return report_failure(&error);

	/* Allocated, because it has more than 100 KiB: the stack can be limited. */
	struct watch *watch = alloc_array(NULL, 1, sizeof *watch);

	options->live = target.process && is_live(options, out);
	if (watch_step_init(watch, options, &target, &error) == 0) {
		if (watch->run.replay)
			replay(watch, out);
		else
			watch_and_act(watch, options, out);

		status = finish(watch, out);
		watch_step_deinit(watch);
	} else {
		report_failure(&error);
	}

	free(watch);
	target_close(&target);
	return status;
}

static enum status run(struct watch_options *options, const struct cli_result *words,
                       struct out *out)
{
	struct target_list targets = { 0 };
	struct pm_error error;
	enum status status;

	if (selection_add_words(&options->selection, words->operands + 1, words->count - 1,
	                        &error) < 0 ||
	    target_list_read(&targets, words->operands[0], TARGET_LIST_ONE, &error) < 0)
		status = report_failure(&error);
	else if (options->has_family)
		status = family_watch(options, words->operands[0], is_live(options, out), out);
	else if (targets.count > 1)
		status = watch_several(options, &targets, out);
	else
		status = run_one(options, targets.words[0], out);

	target_list_deinit(&targets);
	return status;
}

enum status watch_run(struct out *out, int argc, char **argv)
{
	struct watch_options options = { .interval = 2, .budget = 0.01, .top = 10 };
	struct cli_result words;
	struct pm_error error;

	if (selection_init(&options.selection, &error) < 0)
		return report_failure(&error);

	bool parsed = cli_parse(&watch_spec, out, argc, argv, &options, &words);
	enum status status = words.status;

	if (parsed && options.columns.help) {
		watch_columns_print(out);
		status = STATUS_OK;
	} else if (parsed && cli_check_operands(&watch_spec, &words)) {
		out_set_colour(out, options.output.colour);
		if (events_options_check(&options.events, &error) < 0)
			status = report_failure(&error);
		else
			status = run(&options, &words, out);
	}

	events_options_deinit(&options.events);
	selection_deinit(&options.selection);
	return status;
}
