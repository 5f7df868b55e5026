/* SPDX-License-Identifier: MIT */
#include "watch/options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>

#include "base/delta.h"
#include "watch/peek/peek.h"

enum {
	OPTION_FOR = CLI_LONG_ONLY,
	OPTION_RECORD,
	OPTION_BUDGET,
	OPTION_PEEK,
	OPTION_HEAP,
	OPTION_BY,
	OPTION_PLAIN,
	OPTION_CHILDREN,
	OPTION_CGROUP,
	OPTION_ALL_PROCESSES,
	OPTION_FOLLOW,
	OPTION_CSV
};

static const struct cli_option watch_option_list[] = {
	{ 'i', "interval", "SECONDS", "time between samples; minimum 0.1, default 2" },
	{ 'c', "count", "N", "stop after N samples; 0 (default): no limit" },
	{ OPTION_FOR, "for", "DURATION", "stop after this time (30s, 5m, 2h)" },
	{ 's', "sort", "WHAT",
	  "sort by growth (since the start; default), rate, rss\n"
	  "or delta (change since the previous sample)" },
	{ OPTION_BY, "by", "WHAT",
	  "sums by owner: who manages the memory that grows; a\n"
	  "row for each owner instead of each region" },
	{ OPTION_CSV, "csv", NULL,
	  "print only the summary, as comma-separated values,\nsizes in bytes" },
	{ 'n', "top", "N", "show only the first N rows; default 10" },
	{ 'o', "columns", "LIST",
	  "columns of the tables, or +LIST to add columns to\n"
	  "the default ones ('-o help' lists all columns)" },
	{ OPTION_RECORD, "record", "FILE", "write the samples to a recording" },
	{ OPTION_BUDGET, "budget", "PERCENT",
	  "maximum CPU time of watch, as a share of one core;\ndefault 1%, 0: no limit" },
	{ OPTION_PEEK, "peek", "N",
	  "show the N most frequent strings in the new pages\nof each region that grew" },
	{ OPTION_HEAP, "heap", NULL,
	  "show which classes of malloc's chunks grow; with\n"
	  "--record, also store the number of chunks" },
	{ OPTION_PLAIN, "plain", NULL,
	  "print each sample as text; without --plain, watch\n"
	  "shows a live screen on a terminal, or only a summary\n"
	  "in a pipe with --for or -c" },
	{ 0 },
};

static const struct cli_option family_option_list[] = {
	{ OPTION_CHILDREN, "children", NULL,
	  "watch TARGET and all its descendants, a row for each;\n"
	  "processes that start later are added" },
	{ OPTION_CGROUP, "cgroup", NULL, "watch all processes of the memory cgroup of TARGET" },
	{ OPTION_ALL_PROCESSES, "all-processes", NULL, "watch all processes with the name TARGET" },
	{ OPTION_FOLLOW, "follow", NULL,
	  "watch the process with the name TARGET; if it ends,\n"
	  "wait for the next one with this name" },
	{ 0 },
};

static int parse_interval(struct watch_options *options, const char *value, struct pm_error *error)
{
	double seconds;
	if (delta_parse_duration(value, &seconds, error) < 0)
		return -1;
	if (seconds < 0.1)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "%s is too short: the minimum is 0.1 seconds, so that the "
		                    "process is not disturbed",
		                    value);

	options->interval = seconds;
	return 0;
}

static int parse_budget(struct watch_options *options, const char *value, struct pm_error *error)
{
	char *end;
	double percent = strtod(value, &end);

	/* strtod(3) also accepts spaces, signs, words and exponents. */
	bool plain = value[strspn(value, "0123456789.%")] == '\0';
	if (!plain || percent > 100 || end == value || strcmp(end + (*end == '%'), "") != 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%s' is not a percentage from 0 to 100", value);

	options->budget = percent / 100;
	options->budget_given = true;
	return 0;
}

static int parse_sort(struct watch_options *options, const char *value, struct pm_error *error)
{
	for (int sort = 0; sort < WATCH_SORTS; sort++) {
		if (strcmp(value, watch_view_sort_name((enum watch_sort)sort)) == 0) {
			options->sort = (enum watch_sort)sort;
			return 0;
		}
	}

	return pm_error_set(error, PM_ERROR_USAGE, 0,
	                    "cannot sort by '%s': use growth, rate, rss or delta", value);
}

/** Checks whether an option cannot be used with a recording. */
static bool is_live_only(int id)
{
	switch (id) {
	case 'i':
	case 'c':
	case OPTION_FOR:
	case OPTION_RECORD:
	case OPTION_BUDGET:
	case OPTION_PEEK:
	case OPTION_HEAP:
		return true;
	default:
		return false;
	}
}

/** Stores the name of an option that cannot be used with a recording. */
static void note_live_only(struct watch_options *options, int id)
{
	if (!is_live_only(id))
		return;

	for (const struct cli_option *option = watch_option_list; option->name; option++)
		if (option->id == id)
			options->live_only = option->name;
}

static int parse_by(struct watch_options *options, const char *value, struct pm_error *error)
{
	if (strcmp(value, "owner") != 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "'%s' is unknown: use owner", value);

	options->by_owner = true;
	return 0;
}

static int parse(void *into, int id, const char *value, struct pm_error *error)
{
	struct watch_options *options = into;

	note_live_only(options, id);
	switch (id) {
	case 'i':
		return parse_interval(options, value, error);
	case 'c':
		return pm_parse_decimal(value, UINT32_MAX, &options->count, error);
	case 'n':
		return pm_parse_decimal(value, UINT32_MAX, &options->top, error);
	case 's':
		return parse_sort(options, value, error);

	case 'o':
		return watch_columns_parse(&options->columns, value, error);

	case OPTION_FOR:
		return delta_parse_duration(value, &options->seconds, error);
	case OPTION_RECORD:
		options->record = value;
		return 0;
	case OPTION_BUDGET:
		return parse_budget(options, value, error);
	case OPTION_PEEK:
		return pm_parse_decimal(value, PEEK_MAX, &options->peek, error);
	case OPTION_HEAP:
		options->heap = true;
		return 0;
	case OPTION_BY:
		return parse_by(options, value, error);
	case OPTION_CSV:
		options->output.csv = true;
		return 0;

	default:
		options->plain = true;
		return 0;
	}
}

static int parse_family(void *into, int id, const char *value, struct pm_error *error)
{
	struct watch_options *options = into;

	(void)value;
	(void)error;
	options->has_family = true;
	switch (id) {
	case OPTION_CHILDREN:
		options->family = PM_FAMILY_CHILDREN;
		break;
	case OPTION_CGROUP:
		options->family = PM_FAMILY_CGROUP;
		break;
	case OPTION_FOLLOW:
		options->family = PM_FAMILY_FOLLOW;
		break;
	default:
		options->family = PM_FAMILY_NAME;
	}
	return 0;
}

bool watch_options_is_report(const struct watch_options *options, const struct out *out)
{
	bool ends = options->count > 0 || options->seconds > 0;
	if (options->output.csv)
		return true;
	return ends && !out->terminal && !options->plain && !options->output.json;
}

bool watch_options_time_is_over(const struct watch_options *options, double seconds)
{
	double counted = ((double)options->count - 1) * options->interval;

	/* The next sample would be more than half an interval after the end. */
	seconds += options->interval / 2;
	return (options->count > 0 && seconds >= counted) ||
	       (options->seconds > 0 && seconds >= options->seconds);
}

int watch_options_check_several(const struct watch_options *options, struct pm_error *error)
{
	const char *option = NULL;

	if (options->record)
		option = "--record";
	else if (options->events.condition_count > 0)
		option = "--on";
	else if (options->peek > 0)
		option = "--peek";
	else if (options->heap)
		option = "--heap";
	else if (options->output.csv)
		option = "--csv";
	else if (options->by_owner)
		option = "--by";
	else if (options->columns.given)
		option = "--columns";
	else if (!pm_select_is_everything(options->selection.select))
		option = "a choice of regions";

	if (!option)
		return 0;

	return pm_error_set(error, PM_ERROR_USAGE, 0,
	                    "%s needs a single process: several processes have one row each; "
	                    "'procmem watch PID' shows the regions of one of them",
	                    option);
}

const struct cli_group watch_options_groups[] = {
	{ "How:", watch_option_list, parse, 0 },
	{ "When to act:", events_options_table, events_options_parse,
	  offsetof(struct watch_options, events) },
	{ "Which processes:", family_option_list, parse_family, 0 },
	{ "Which regions:", selection_options, selection_parse_option,
	  offsetof(struct watch_options, selection) },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct watch_options, output) },
	{ 0 },
};

const char *const watch_options_exclusive[] = { "json plain columns",
	                                        "csv json plain",
	                                        "csv columns",
	                                        "csv peek",
	                                        "by columns",
	                                        "by peek",
	                                        "children cgroup all-processes follow",
	                                        NULL };
