/* SPDX-License-Identifier: MIT */
#include "watch/family/family.h"

#include <string.h>

#include "base/clock.h"
#include "base/poll_loop.h"
#include "base/report.h"
#include "watch/family/json.h"
#include "watch/family/print.h"
#include "watch/family/run.h"
#include "watch/family/screen.h"

/** Returns why watching must end, or NULL. */
static const char *find_end(const struct family_run *run, const struct poll_loop *wait)
{
	const struct watch_options *options = run->options;
	double seconds = run->members.now - run->members.began;

	if (*wait->interrupted)
		return "interrupted";
	if (family_run_is_over(run))
		return "all processes have ended";
	if (options->count > 0 && run->members.samples >= options->count)
		return "sample count reached";
	if (options->seconds > 0 && seconds >= options->seconds - options->interval / 2)
		return "time limit reached";

	return NULL;
}

/** Prints the last sample, unless only the summary is wanted. */
static void print_sample(struct family_run *run, struct out *out)
{
	const struct watch_options *options = run->options;

	if (options->output.json) {
		family_run_judge(run, options->sort);
		family_json_sample(run, out);
	} else if (!options->output.quiet && !watch_options_is_report(options, out)) {
		family_run_judge(run, options->sort);
		family_print_sample(run, out);
	} else if (run->news.length > 0 && !options->output.quiet) {
		report_note("%s", text_terminate(&run->news));
	}

	out_flush(out);
}

/**
 * Takes samples until watching ends.
 * @return why it ended; NULL if a sample could not be taken
 */
static const char *watch_text(struct family_run *run, struct poll_loop *wait, struct out *out,
                              struct pm_error *error)
{
	const char *ended;

	print_sample(run, out);
	while (!(ended = find_end(run, wait)) && !out_failed(out)) {
		if (!poll_loop_wait(wait))
			continue;
		if (family_run_step(run, error) < 0)
			return NULL;
		print_sample(run, out);
	}

	return ended ? ended : "the output was closed";
}

/** Takes samples and shows them on a live screen until the user quits. */
static const char *watch_live(struct family_run *run, struct poll_loop *wait, struct out *out,
                              struct pm_error *error)
{
	struct family_screen screen;
	const char *ended = NULL;

	if (family_screen_open(&screen, run, wait, out->colour, error) < 0) {
		report_note("text is printed instead of a live screen: %s", error->text);
		return watch_text(run, wait, out, error);
	}

	while (!ended && !family_screen_left(&screen)) {
		bool due = poll_loop_wait(wait);

		family_screen_handle_input(&screen);
		if (due && !screen.over && family_run_step(run, error) < 0)
			break;
		if (due)
			family_screen_update(&screen);

		ended = find_end(run, wait);
		double seconds = clock_boot_seconds() - run->members.began;

		/* After all processes have ended, the screen shows the last sample until the end
		 * of --for or -c. */
		if (ended && family_run_is_over(run) && !*wait->interrupted &&
		    !watch_options_time_is_over(run->options, seconds)) {
			family_screen_end(&screen, ended);
			ended = NULL;
		}
	}

	bool left = family_screen_left(&screen);
	family_screen_close(&screen);
	return !ended && left ? "the user quit" : ended;
}

/** Prints the summary. */
static void print_summary(struct family_run *run, const char *ended, struct out *out)
{
	family_run_judge(run, run->options->sort);
	if (run->options->output.json)
		family_json_summary(run, ended, out);
	else
		family_print_summary(run, ended, out);
}

/** Watches an open family. */
static enum status watch_run_of(struct family_run *run, bool live, struct out *out)
{
	struct poll_loop wait;
	struct pm_error error;

	poll_loop_init(&wait, run->options->interval);
	const char *ended = live ? watch_live(run, &wait, out, &error)
	                         : watch_text(run, &wait, out, &error);
	poll_loop_deinit(&wait);

	print_summary(run, ended ? ended : "a sample could not be taken", out);
	if (ended && run->options->family == PM_FAMILY_FOLLOW && run->followed == 0) {
		pm_error_set(&error, PM_ERROR_NOT_FOUND, 0, "no process is called '%s'", run->word);
		ended = NULL;
	}

	return ended ? STATUS_OK : report_failure(&error);
}

enum status family_watch(struct watch_options *options, const char *word, bool live,
                         struct out *out)
{
	struct family_run run;
	struct pm_error error;

	if (watch_options_check_several(options, &error) < 0 ||
	    family_run_open(&run, options, word, &error) < 0)
		return report_failure(&error);

	enum status status = watch_run_of(&run, live, out);
	family_run_close(&run);
	return status;
}
