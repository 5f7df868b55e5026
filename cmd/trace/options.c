/* SPDX-License-Identifier: MIT */
#include "trace/options.h"

#include <stddef.h>
#include <string.h>

#include <procmem/number.h>
#include <procmem/unwinder.h>

#include "base/delta.h"

enum {
	OPTION_FOR = CLI_LONG_ONLY,
	OPTION_EVERY,
	OPTION_FAULTS,
	OPTION_BACKEND,
	OPTION_STACK,
	OPTION_BY,
	OPTION_STRINGS,
	OPTION_FOLDED,
	OPTION_SVG,
	OPTION_PPROF,
	OPTION_RECORD,
};

/* Maximum of --strings. */
enum { STRINGS_MAX = 100 };

/* Minimum of --stack, in bytes: one page would hold few frames of C++. */
enum { STACK_MIN = 512 };

static const struct cli_option trace_option_table[] = {
	{ OPTION_FOR, "for", "DURATION",
	  "trace for this time (default: until Ctrl-C or the\nexit of the process)" },
	{ OPTION_FAULTS, "faults", NULL,
	  "record page faults, too: they show which code touches\n"
	  "memory that was mapped before the trace" },
	{ OPTION_EVERY, "every", "DURATION",
	  "print a table at this interval, with the change of\n"
	  "each site, and the whole result at the end" },
	{ OPTION_BACKEND, "backend", "NAME",
	  "how to record calls: perf, ptrace, or auto (default).\n"
	  "ptrace slows down every system call of a process that\n"
	  "runs already" },
	{ OPTION_STACK, "stack", "SIZE",
	  "copy this much of each stack, at most 65528\n(default: 8K)" },
	{ 0 },
};

static const struct cli_option show_options[] = {
	{ 'a', "all", NULL, "show all sites, not only the largest" },
	{ OPTION_BY, "by", "WHAT",
	  "sum up by stack (default), function, thread or\n"
	  "object (program or library)" },
	{ OPTION_STRINGS, "strings", "N",
	  "show the N most frequent strings in the largest region\nof each site" },
	{ 0 },
};

static const struct cli_option file_options[] = {
	{ OPTION_SVG, "svg", "FILE",
	  "write a flame graph for a browser; the area is the\n"
	  "resident memory" },
	{ OPTION_FOLDED, "folded", "FILE",
	  "write a line for each stack, with resident bytes, for\n"
	  "other viewers of flame graphs" },
	{ OPTION_PPROF, "pprof", "FILE", "write a profile for 'go tool pprof'" },
	{ OPTION_RECORD, "record", "FILE",
	  "add the sites to a recording at the start, at each\n"
	  "--every and at the end; 'procmem diff' compares them" },
	{ 0 },
};

/**
 * Finds a word in a list.
 * @return its index; -1 with PM_ERROR_USAGE if the list does not contain the word
 */
static int find_word(const char *value, const char *const *words, const char *valid,
                     struct pm_error *error)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], value) == 0)
			return i;
	}
	return pm_error_set(error, PM_ERROR_USAGE, 0, "'%s' is unknown: use %s", value, valid);
}

static int parse_backend(struct trace_options *options, const char *value, struct pm_error *error)
{
	static const char *const words[] = { [PM_TRACE_AUTO] = "auto",
		                             [PM_TRACE_PERF] = "perf",
		                             [PM_TRACE_PTRACE] = "ptrace",
		                             NULL };
	int found = find_word(value, words, "auto, perf or ptrace", error);

	if (found < 0)
		return -1;
	options->trace.backend = (enum pm_trace_backend)found;
	return 0;
}

static int parse_by(struct trace_options *options, const char *value, struct pm_error *error)
{
	static const char *const words[] = { [TRACE_BY_STACK] = "stack",
		                             [TRACE_BY_FUNCTION] = "function",
		                             [TRACE_BY_THREAD] = "thread",
		                             [TRACE_BY_OBJECT] = "object",
		                             NULL };
	int found = find_word(value, words, "stack, function, thread or object", error);

	if (found < 0)
		return -1;
	options->by = (enum trace_by)found;
	options->trace.per_thread = options->by == TRACE_BY_THREAD;
	return 0;
}

static int parse_stack(struct trace_options *options, const char *value, struct pm_error *error)
{
	uint64_t size;

	if (pm_parse_size(value, &size, error) < 0)
		return -1;
	if (size < STACK_MIN || size > PM_UNWIND_STACK_MAX)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "must be from %d to %d bytes",
		                    STACK_MIN, PM_UNWIND_STACK_MAX);

	options->trace.stack_size = (size_t)(size / 8 * 8);
	return 0;
}

static int parse_strings(struct trace_options *options, const char *value, struct pm_error *error)
{
	uint64_t count;

	if (pm_parse_decimal(value, STRINGS_MAX, &count, error) < 0)
		return -1;
	if (count < 1)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "must be from 1 to %d", STRINGS_MAX);

	options->strings = (unsigned)count;
	return 0;
}

/** Parses the name of a file. '--' is a forgotten name, and the start of a command. */
static int parse_file(const char *value, const char **file, struct pm_error *error)
{
	if (value[0] == '\0')
		return pm_error_set(error, PM_ERROR_USAGE, 0, "the name of the file is empty");
	if (strcmp(value, "--") == 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "the name of a file is missing before '--' (a file with this "
		                    "name is ./--)");

	*file = value;
	return 0;
}

static int parse_record(struct trace_options *options, const char *value, struct pm_error *error)
{
	const char *file = NULL;

	if (parse_file(value, &file, error) < 0)
		return -1;
	return options_parse_recording(file, &options->record, error);
}

static int parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct trace_options *options = into;

	switch (id) {
	case OPTION_FOR:
		return delta_parse_duration(value, &options->seconds, error);
	case OPTION_EVERY:
		return delta_parse_duration(value, &options->every, error);
	case OPTION_BACKEND:
		return parse_backend(options, value, error);
	case OPTION_STACK:
		return parse_stack(options, value, error);
	case OPTION_BY:
		return parse_by(options, value, error);
	case OPTION_RECORD:
		return parse_record(options, value, error);
	case OPTION_STRINGS:
		return parse_strings(options, value, error);

	case OPTION_FAULTS:
		options->trace.faults = true;
		return 0;
	case OPTION_FOLDED:
		return parse_file(value, &options->folded, error);
	case OPTION_SVG:
		return parse_file(value, &options->svg, error);
	case OPTION_PPROF:
		return parse_file(value, &options->pprof, error);
	default:
		options->list.all = true;
		return 0;
	}
}

const struct cli_group trace_options_groups[] = {
	{ "What to trace:", trace_option_table, parse_option, 0 },
	{ "What to show:", show_options, parse_option, 0 },
	{ "Files:", file_options, parse_option, 0 },
	{ "Order and format:", options_of_lists, options_parse_list,
	  offsetof(struct trace_options, list) },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct trace_options, output) },
	{ 0 },
};

const char *const trace_options_exclusive[] = {
	"json csv",
	"all top",
	"csv strings",
	NULL,
};
