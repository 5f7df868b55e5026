/* SPDX-License-Identifier: MIT */
#include "why/why.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/delta.h"
#include "base/report.h"
#include "html/report.h"
#include "target/malloc_graph.h"
#include "why/judge.h"

enum {
	OPTION_FOR = CLI_LONG_ONLY,
	OPTION_NO_STRINGS,
	OPTION_CGROUP,
	OPTION_DEEP,
	OPTION_MAX_STOP,
	OPTION_HTML
};

static const struct cli_option why_option_list[] = {
	{ OPTION_FOR, "for", "DURATION",
	  "observe for this time (10s, 5m; default: 30s, or less\nif the verdict is sure)" },
	{ OPTION_CGROUP, "cgroup", "PATH",
	  "investigate a cgroup: its parts, its files in tmpfs,\nand its process that grows "
	  "fastest or is the largest" },
	{ OPTION_DEEP, "deep", NULL,
	  "trace which code makes the first finding grow (5 s),\nand find out who holds its "
	  "chunks, which stops the\nprocess shortly" },
	{ OPTION_MAX_STOP, "max-stop", "DURATION",
	  "with --deep: refuse to stop the process for longer\nthan this (default: 1s; 0: any "
	  "time)" },
	{ OPTION_NO_STRINGS, "no-strings", NULL, "show no content of the process's memory" },
	{ OPTION_HTML, "html", "FILE", "also write a report to FILE, which a browser shows" },
	{ 'a', "all", NULL, "show all findings, also those that weigh little" },
	{ 0 },
};

static int parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct why_options *options = into;

	switch (id) {
	case OPTION_FOR:
		options->seconds_given = true;
		return delta_parse_duration(value, &options->seconds, error);
	case OPTION_DEEP:
		options->deep = true;
		return 0;
	case OPTION_MAX_STOP:
		options->stop_given = true;
		return malloc_graph_parse_stop(value, &options->stop_max_ns, error);

	case OPTION_CGROUP:
		options->cgroup = value;
		return 0;
	case OPTION_HTML:
		return html_report_parse_path(value, &options->html, error);
	case OPTION_NO_STRINGS:
		options->no_text = true;
		return 0;
	default:
		options->all = true;
		return 0;
	}
}

static const struct cli_group groups[] = {
	{ "What to report:", why_option_list, parse_option, 0 },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct why_options, output) },
	{ 0 },
};

const struct cli_spec why_spec = {
	.command = "why",
	.operands = "[TARGET|FILE]",
	.purpose = "Investigates a process for some time, and reports why its memory grows or\n"
		   "weighs: the causes in order of weight, with evidence, and the commands that\n"
		   "show more. The process is not stopped, except with --deep.",
	.groups = groups,
	.notes = "TARGET is a PID, or a process name that matches one process. FILE is a\n"
		 "recording, a core file or a saved smaps file: the report names what it lacks.\n"
		 "The exit status is 1 if something was found, 0 if not, and 2 after an error.",
	.examples = {
		{ "procmem why java", "what is wrong with the memory of java" },
		{ "procmem why --cgroup /shop", "what fills the cgroup /shop" },
	},
	.operands_min = 0,
	.operands_max = 1,
};

/** Reports what was read (--verbose). */
static void report_read(const struct why_observation *observation)
{
	const struct why_walks *walks = &observation->walks;

	report_note("%" PRIu64 " samples in %.1f s, %u walks over the heap%s%s, %" PRIu64
	            " bytes of new pages searched, %.2f s of CPU time",
	            observation->samples, observation->seconds, walks->count,
	            *walks->allocator ? " of " : "", walks->allocator, observation->texts.bytes,
	            observation->cpu_seconds);
}

/** Returns whether the file of --html is the only output. */
static bool is_silent(const struct why_options *options)
{
	return options->html && options->output.quiet && !options->output.json;
}

enum status why_run(struct out *out, int argc, char **argv)
{
	struct why_options options = { .seconds = 30, .stop_max_ns = MALLOC_GRAPH_STOP_NS };
	struct why_observation observation = { .options = &options };
	struct cli_result words;
	struct pm_error error;

	if (!cli_parse(&why_spec, out, argc, argv, &options, &words) ||
	    !cli_check_operands(&why_spec, &words))
		return words.status;

	if ((words.count == 0) == !options.cgroup) {
		report_error(options.cgroup ? "--cgroup replaces the TARGET: give one of them"
		                            : "why needs a TARGET, or --cgroup PATH");
		return STATUS_ERROR;
	}

	if (options.stop_given && !options.deep) {
		report_error("--max-stop needs --deep: without it, the process is not stopped");
		return STATUS_ERROR;
	}

	if (options.html && html_report_check(options.html, &error) < 0)
		return report_failure(&error);

	out_set_colour(out, options.output.colour);
	int result = why_observe(&observation, words.count > 0 ? words.operands[0] : NULL, &error);
	if (result == 0 && options.output.verbose && !options.output.quiet)
		report_read(&observation);
	if (result == 0)
		result = why_judge(&observation, is_silent(&options) ? NULL : out, &error);
	why_observe_deinit(&observation);
	if (result < 0)
		return report_failure(&error);
	return result > 0 ? STATUS_NOTHING : STATUS_OK;
}
