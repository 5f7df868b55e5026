/* SPDX-License-Identifier: MIT */
#include "pressure/pressure.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/number.h>

#include "base/delta.h"
#include "base/interrupt.h"
#include "base/poll_loop.h"
#include "base/report.h"
#include "pressure/json.h"
#include "pressure/kills.h"
#include "pressure/print.h"
#include "target/target.h"

enum { OPTION_FOR = CLI_LONG_ONLY };

/* A second is enough for counters that rise all the time, and short enough to wait for. */
static const double default_seconds = 1;

static const struct cli_option what_options[] = {
	{ OPTION_FOR, "for", "DURATION",
	  "time between the two readings whose difference is\nshown (30s, 5m; default: 1s)" },
	{ 0 },
};

static int parse_what(void *into, int id, const char *value, struct pm_error *error)
{
	struct pressure_options *options = into;

	(void)id;
	return delta_parse_duration(value, &options->seconds, error);
}

static const struct cli_group groups[] = {
	{ "What to report:", what_options, parse_what, 0 },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct pressure_options, output) },
	{ 0 },
};

const struct cli_spec pressure_spec = {
	.command = "pressure",
	.operands = "[TARGET]",
	.purpose = "Reports utilisation, saturation and errors of memory: of a process, of each\n"
		   "cgroup above it, of the machine and of each NUMA node; and which processes\n"
		   "the kernel has killed for lack of memory. Without TARGET: of the machine, the\n"
		   "NUMA nodes and the cgroups directly below the root.",
	.groups = groups,
	.notes = "TARGET is a PID, or a process name that matches one process. The exit status is\n"
		 "1 if a threshold is crossed.",
	.examples = {
		{ "procmem pressure java",
		  "does java wait for memory, and where?" },
		{ "procmem pressure --for 30s",
		  "the machine and its groups, over half a minute" },
	},
	.operands_min = 0,
	.operands_max = 1,
};

/**
 * Waits between the readings. On a terminal, stderr says so and erases that at the end.
 * @return false if the user has ended the wait
 */
static bool wait_for(double seconds, bool quiet)
{
	bool shown = !quiet && isatty(STDERR_FILENO);
	char duration[PM_DURATION_TEXT_SIZE];
	struct poll_loop wait;
	bool due = false;

	if (shown) {
		pm_format_duration(seconds, duration);
		fprintf(stderr, "reading again in %s (Ctrl-C ends this early)", duration);
		fflush(stderr);
	}

	poll_loop_init(&wait, seconds);
	while (!due && !*wait.interrupted)
		due = poll_loop_wait(&wait);
	poll_loop_deinit(&wait);

	if (shown)
		fputs("\r\033[K", stderr);
	return due;
}

/** Reads twice, and compares. */
static int measure(struct pressure_report *report, struct pm_pressure_source *source,
                   struct pm_error *error)
{
	const struct pressure_options *options = report->options;
	struct pm_pressure_reading before;

	if (pm_pressure_read(source, &before, error) < 0)
		return -1;
	if (!wait_for(options->seconds, options->output.quiet) && !options->output.quiet)
		report_note("interrupted: the results are based on the time so far");

	int result = pm_pressure_read(source, &report->reading, error);
	if (result == 0)
		result = pm_pressure_compare(&before, &report->reading, &report->change, error);
	pm_pressure_deinit(&before);
	return result;
}

/** Reads the log, which is not an error if it cannot be read, and applies the thresholds. */
static int judge(struct pressure_report *report, struct pm_error *error)
{
	report->has_log = pm_oom_log_read(NULL, &report->log, &report->log_error) == 0;

	return pm_signs_find(&report->reading, &report->change,
	                     report->has_log ? &report->log : NULL,
	                     report->view == PM_CGROUP_VISIBLE, &report->signs, error);
}

static void deinit(struct pressure_report *report)
{
	pm_pressure_deinit(&report->reading);
	pm_pressure_change_deinit(&report->change);
	pm_oom_log_deinit(&report->log);
	pm_signs_deinit(&report->signs);
}

/** Says what the log of the kernel has. */
static void note_log(const struct pressure_report *report)
{
	if (report->has_log)
		report_note("the log of the kernel goes back %.0f s and has %zu OOM kills",
		            report->log.seconds_back, report->log.count + report->log.dropped);
	else
		report_note("the log of the kernel is not known: %s", report->log_error.text);
}

/**
 * Measures and prints.
 * @return 1 if a threshold is crossed, 0 if not, -1 on error
 */
static int report_pressure(struct pressure_report *report, struct pm_process *process,
                           struct out *out, struct pm_error *error)
{
	const struct output_options *output = &report->options->output;
	struct pm_pressure_source *source;

	if (pm_pressure_open(process, NULL, NULL, &source, error) < 0)
		return -1;

	report->view = pm_pressure_view(source);
	int result = measure(report, source, error);
	if (result == 0)
		result = judge(report, error);
	pm_pressure_close(source);

	if (result == 0) {
		result = report->signs.count > 0;
		if (output->json)
			pressure_json_print(report, out);
		else if (!output->quiet)
			pressure_print(report, out);
		if (output->verbose)
			note_log(report);
	}

	deinit(report);
	return result;
}

/** Reports on a process, or without one on the machine. */
static int run_on(const struct pressure_options *options, struct pm_process *process,
                  struct out *out, struct pm_error *error)
{
	struct pressure_report report = { .options = options };
	struct pm_process_info info;
	char *command = NULL;

	if (!process)
		return report_pressure(&report, NULL, out, error);

	if (pm_process_read_info(process, &info, error) < 0 ||
	    pm_process_read_command(process, &command, error) < 0)
		return -1;

	report.has_target = true;
	report.pid = info.pid;
	report.name = info.comm;
	report.command = command;
	int result = report_pressure(&report, process, out, error);
	free(command);
	return result;
}

/** If a word can be the path of a cgroup, changes the error to say which command reports on it. */
static void hint_at_cgroup(const char *word, struct pm_error *error)
{
	static const char mounts[] = "/sys/fs/cgroup/";
	bool is_folder = strncmp(word, mounts, strlen(mounts)) == 0;

	if (!strchr(word, '/') || strncmp(word, "/proc/", strlen("/proc/")) == 0 ||
	    (!is_folder && access(word, F_OK) == 0))
		return;
	pm_error_set(error, error->kind, 0,
	             "'%.128s' is not a process: pressure takes a process, and reports on its "
	             "cgroups, too; for a cgroup: procmem cgroup %.128s",
	             word, word);
}

/** Finds the newest kill of a process that a word names: by its PID, or by its command name. */
static const struct pm_oom_kill *find_kill(const struct pm_oom_log *log, const char *word)
{
	uint64_t pid = 0;
	bool number = pm_parse_decimal(word, INT_MAX, &pid, NULL) == 0;

	for (size_t i = log->count; i-- > 0;) {
		const struct pm_oom_kill *kill = &log->kills[i];

		if (number ? kill->pid == (pid_t)pid : strcmp(kill->comm, word) == 0)
			return kill;
	}

	return NULL;
}

/** If the target of a word was not found, prints a note if the kernel has killed such a process. */
static void note_kill(const char *word, const struct pm_error *error)
{
	struct pm_oom_log log;
	struct pm_error unreadable;

	if ((error->kind != PM_ERROR_NOT_FOUND && error->kind != PM_ERROR_GONE) ||
	    pm_oom_log_read(NULL, &log, &unreadable) < 0)
		return;

	const struct pm_oom_kill *kill = find_kill(&log, word);
	if (kill) {
		struct text text = { 0 };

		pressure_kills_put_process(kill, &text);
		text_string(&text, " was OOM-killed ");
		pressure_kills_put_age(kill, &text);
		text_string(&text, ": ");
		pressure_kills_put_cause(kill, SIZE_MAX, &text);
		report_note("%s; all kills: procmem pressure", text_terminate(&text));
		text_deinit(&text);
	}

	pm_oom_log_deinit(&log);
}

enum status pressure_run(struct out *out, int argc, char **argv)
{
	struct pressure_options options = { .seconds = default_seconds };
	struct cli_result words;
	struct pm_error error;
	struct target target = { 0 };

	if (!cli_parse(&pressure_spec, out, argc, argv, &options, &words) ||
	    !cli_check_operands(&pressure_spec, &words))
		return words.status;

	out_set_colour(out, options.output.colour);
	if (words.count > 0 && target_open_process(&target, words.operands[0], &error) < 0) {
		hint_at_cgroup(words.operands[0], &error);
		report_failure(&error);
		if (!options.output.quiet)
			note_kill(words.operands[0], &error);
		return STATUS_ERROR;
	}

	int result = run_on(&options, target.process, out, &error);
	if (words.count > 0)
		target_close(&target);

	if (result < 0)
		return report_failure(&error);
	return result > 0 ? STATUS_NOTHING : STATUS_OK;
}
