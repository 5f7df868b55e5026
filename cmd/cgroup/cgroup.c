/* SPDX-License-Identifier: MIT */
#include "cgroup/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/number.h>
#include <procmem/process_cgroup.h>
#include <procmem/process_find.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/delta.h"
#include "base/interrupt.h"
#include "base/minmax.h"
#include "base/poll_loop.h"
#include "cgroup/files.h"
#include "cgroup/json.h"
#include "cgroup/path.h"
#include "cgroup/print.h"
#include "cgroup/top.h"
#include "target/target.h"

enum { OPTION_FOR = CLI_LONG_ONLY };

/** Largest value of --top. */
enum { TOP_MAX = 1000000 };

/** How inexact the usage may be for each CPU, in bytes (docs/KERNEL.md, "What fills a cgroup"). */
static const uint64_t cpu_batch = UINT64_C(256) << 10;

/* Time between two samples, in seconds. If the measurement takes less than ten seconds, a tenth of
 * its time is used instead. */
static const double usual_interval = 1;

static const struct cli_option cgroup_option_list[] = {
	{ OPTION_FOR, "for", "DURATION",
	  "watch for this time (30s, 5m), to report which part\nand which directory grows" },
	{ 'n', "top", "N", "show at most N groups, processes and directories" },
	{ 0 },
};

static int parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct cgroup_options *options = into;

	if (id == OPTION_FOR)
		return delta_parse_duration(value, &options->seconds, error);
	if (pm_parse_decimal(value, TOP_MAX, &options->top, error) < 0)
		return -1;
	if (options->top == 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "must be at least 1");

	return 0;
}

static const struct cli_group groups[] = {
	{ "What to report:", cgroup_option_list, parse_option, 0 },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct cgroup_options, output) },
	{ 0 },
};

const struct cli_spec cgroup_spec = {
	.command = "cgroup",
	.operands = "[TARGET|PATH]",
	.purpose = "Reports what fills a memory cgroup and its ancestors: processes, files in\n"
		   "tmpfs, page cache, and memory of the kernel.",
	.groups = groups,
	.notes = "TARGET is a PID, or a process name that matches one process, or several of one\n"
		 "cgroup. PATH contains a slash, and is a directory below /sys/fs/cgroup or the\n"
		 "path of a cgroup, as in /proc/PID/cgroup. Without both, the cgroups with the\n"
		 "highest usage are listed. With --for, only a TARGET or a PATH can be watched.",
	.examples = {
		{ "procmem cgroup --for 30s java",
		  "what fills the cgroup of the process called java, and what grows in it" },
		{ "procmem cgroup /sys/fs/cgroup/system.slice",
		  "what fills this cgroup" },
	},
	.operands_min = 0,
	.operands_max = 1,
};

size_t cgroup_rows_max(const struct cgroup_options *options)
{
	return options->top > 0 ? (size_t)options->top : CGROUP_ROWS;
}

uint64_t cgroup_tolerance(const struct cgroup_report *report, const struct pm_cgroup_level *level)
{
	return pm_max(level->current / 100, report->cpus * cpu_batch);
}

/** Returns whether a process is in a cgroup. */
static bool is_in(pid_t pid, const struct pm_process_cgroup *cgroup)
{
	struct pm_process_cgroup own = { 0 };
	struct pm_process *process;

	if (pm_process_open(NULL, pid, &process, NULL) < 0)
		return false;
	bool same = pm_process_cgroup_read(process, &own, NULL) == 0 && own.path && cgroup->path &&
	            own.version == cgroup->version && strcmp(own.path, cgroup->path) == 0;
	pm_process_cgroup_deinit(&own);
	pm_process_close(process);
	return same;
}

/**
 * Reads the cgroup of the processes of a name that matches several. They must all be in it.
 * @return false if they are not, or if this is not known
 */
static bool read_common(const char *word, struct cgroup_report *report)
{
	struct pm_process_cgroup cgroup = { 0 };
	struct pm_process *process = NULL;
	size_t count = 0, same = 0;
	pid_t *pids = NULL;

	/* The word could be meant as a file. */
	if (access(word, F_OK) == 0 || pm_process_find_all(word, &pids, &count, NULL) < 0)
		return false;

	bool known = pm_process_open(NULL, pids[0], &process, NULL) == 0 &&
	             pm_process_cgroup_read(process, &cgroup, NULL) == 0;
	while (known && same < count && is_in(pids[same], &cgroup))
		same++;
	known = known && same == count &&
	        pm_cgroup_levels_read(process, NULL, &report->levels, NULL) == 0 &&
	        report->levels.count > 0;

	pm_process_cgroup_deinit(&cgroup);
	pm_process_close(process);
	free(pids);
	return known;
}

/** Fails if no level of a process is visible. */
static int check_visible(const struct cgroup_report *report, struct pm_error *error)
{
	if (report->levels.count > 0)
		return 0;
	if (report->levels.view == PM_CGROUP_HIDDEN)
		return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
		                    "the cgroup of the process is not visible from here: run "
		                    "procmem on the host, or mount its /sys/fs/cgroup");
	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
	                    "no memory cgroup is visible: none is mounted, or the kernel has no "
	                    "memory controller");
}

static void free_members(struct cgroup_report *report)
{
	for (size_t i = 0; report->members && i < report->levels.count; i++)
		pm_members_deinit(&report->members[i]);
	free(report->members);
	report->members = NULL;
}

/** Reads the processes of all levels. */
static int read_members(struct cgroup_report *report, struct pm_error *error)
{
	free_members(report);
	report->members = alloc_array(NULL, report->levels.count, sizeof *report->members);
	memset(report->members, 0, report->levels.count * sizeof *report->members);

	for (size_t i = 0; i < report->levels.count; i++)
		if (pm_cgroup_levels_members(&report->levels.items[i], NULL, &report->members[i],
		                             error) < 0)
			return -1;

	return 0;
}

/** Reads the levels again. Which ancestors are hidden is known from the first time. */
static int read_again(struct cgroup_report *report, struct pm_error *error)
{
	const struct pm_cgroup_level *first = &report->levels.items[0];
	struct pm_cgroup_levels levels;

	if (pm_cgroup_levels_read_folder(first->folder, &levels, error) < 0) {
		if (access(first->folder, F_OK) == 0 || errno != ENOENT)
			return -1;
		return pm_error_set(error, PM_ERROR_GONE, 0,
		                    "the cgroup %s was removed while it was watched", first->path);
	}

	levels.view = report->levels.view;
	free_members(report);
	pm_cgroup_levels_deinit(&report->levels);
	report->levels = levels;
	return 0;
}

/** Takes samples of the levels. @return 0, 1 if the user interrupted, -1 on error */
static int take_samples(struct cgroup_report *report, struct pm_error *error)
{
	double seconds = report->options->seconds, interval = usual_interval;
	struct poll_loop wait;
	int result;

	if (seconds / 10 < interval)
		interval = seconds / 10;
	poll_loop_init(&wait, interval);
	double begin = clock_boot_seconds(), now = begin;

	for (;;) {
		result = cgroup_rates_add(&report->rates, now, &report->levels, error);
		if (result < 0 || now - begin >= seconds - interval / 2)
			break;
		if (!poll_loop_await(&wait)) {
			result = 1;
			break;
		}
		now = clock_boot_seconds();
		result = read_again(report, error);
		if (result < 0)
			break;
	}

	poll_loop_deinit(&wait);
	return result;
}

/** Watches the levels for the time of --for. */
static int watch(struct cgroup_report *report, struct pm_error *error)
{
	bool quiet = report->options->output.quiet, shown = !quiet && isatty(STDERR_FILENO);
	char duration[PM_DURATION_TEXT_SIZE];

	if (read_members(report, error) < 0 || cgroup_files_start(report, error) < 0)
		return -1;
	/* poll_loop_init() would forget a signal that arrived before. */
	if (*interrupt_flag())
		return pm_error_set(error, PM_ERROR_CANCELLED, 0, "cancelled");

	if (shown) {
		pm_format_duration(report->options->seconds, duration);
		fprintf(stderr, "watching for %s (Ctrl-C ends this early)", duration);
		fflush(stderr);
	}
	int result = take_samples(report, error);
	if (shown)
		fputs("\r\033[K", stderr);

	if (result > 0 && !quiet)
		report_note("interrupted: the results are based on the measurements so far");
	return result < 0 ? -1 : 0;
}

static int read_report(struct cgroup_report *report, struct pm_error *error)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	report->cpus = cpus > 0 ? (unsigned)cpus : 1;
	if (report->options->seconds > 0 && watch(report, error) < 0)
		return -1;

	interrupt_catch();
	if (read_members(report, error) < 0 || cgroup_files_read(report, error) < 0)
		return -1;

	cgroup_rates_judge(&report->rates, &report->levels);
	return 0;
}

/** Reports what was read, and how long the files in tmpfs took. */
static void note_cost(const struct cgroup_report *report)
{
	report_note("%zu levels; %zu directories in tmpfs read in %.1f ms; %zu processes examined",
	            report->levels.count, report->files.tmpfs.folder_count,
	            report->files.tmpfs.seconds * 1000, report->files.objects.processes);
}

static int report_cgroup(struct cgroup_report *report, const char *word, struct out *out,
                         struct pm_error *error)
{
	int result = 0;

	if (report->process)
		result = pm_cgroup_levels_read(report->process, NULL, &report->levels, error);
	else if (report->levels.count == 0)
		result = cgroup_path_read(word, &report->levels, error);
	if (result == 0)
		result = check_visible(report, error);
	if (result == 0)
		result = read_report(report, error);
	if (result == 0 && report->options->output.verbose && !report->options->output.quiet)
		note_cost(report);
	if (result == 0 && report->options->output.json)
		cgroup_json_print(report, out);
	else if (result == 0 && !report->options->output.quiet)
		cgroup_print(report, out);

	free_members(report);
	cgroup_files_deinit(&report->files);
	cgroup_rates_deinit(&report->rates);
	pm_cgroup_levels_deinit(&report->levels);
	return result;
}

/** Returns whether a word is the path of a cgroup, not of a process in /proc. */
static bool is_path(const char *word)
{
	return strchr(word, '/') && strncmp(word, "/proc/", strlen("/proc/")) != 0;
}

enum status cgroup_run(struct out *out, int argc, char **argv)
{
	struct cgroup_options options = { 0 };
	struct cgroup_report report = { .options = &options };
	struct target target = { 0 };
	struct cli_result words;
	struct pm_error error;

	if (!cli_parse(&cgroup_spec, out, argc, argv, &options, &words) ||
	    !cli_check_operands(&cgroup_spec, &words))
		return words.status;

	out_set_colour(out, options.output.colour);
	if (words.count == 0 && options.seconds > 0) {
		report_error("--for needs a TARGET or a PATH");
		return STATUS_ERROR;
	}
	if (words.count == 0)
		return cgroup_top_print(&options, out, &error) < 0 ? report_failure(&error)
		                                                   : STATUS_OK;

	const char *word = words.operands[0];
	if (!is_path(word) || strncmp(word, "/proc/", strlen("/proc/")) == 0) {
		if (target_open_process(&target, word, &error) < 0 &&
		    (error.kind != PM_ERROR_AMBIGUOUS || !read_common(word, &report)))
			return report_failure(&error);
		report.process = target.process;
	}

	int result = report_cgroup(&report, word, out, &error);
	target_close(&target);
	return result < 0 ? report_failure(&error) : STATUS_OK;
}
