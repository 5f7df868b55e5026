/* SPDX-License-Identifier: MIT */
#include "watch/events/events.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>

#include "base/delta.h"
#include "watch/events/options.h"
#include "watch/watch.h"

enum { OPTION_FOR = CLI_LONG_ONLY, OPTION_RECORD, OPTION_BUDGET, OPTION_PEEK, OPTION_PLAIN };

static const struct cli_option watch_option_list[] = {
	{ 'i', "interval", "SECONDS", "from one look to the next, 0.1 or more; usually 2" },
	{ 'c', "count", "N", "look N times; 0, as without it: without end" },
	{ OPTION_FOR, "for", "DURATION", "for so long (30s, 5m, 2h)" },
	{ 's', "sort", "WHAT", "sort by growth, rate, rss or delta" },
	{ 'n', "top", "N", "only the first N; usually 10" },
	{ OPTION_RECORD, "record", "FILE", "write the samples to a recording" },
	{ OPTION_BUDGET, "budget", "PERCENT",
	  "CPU time that it may use, of one core; usually 1%,\n0 for any" },
	{ OPTION_PEEK, "peek", "N",
	  "show the N most frequent strings in the new pages of\neach region that grew" },
	{ OPTION_PLAIN, "plain", NULL, "text also on a terminal, no live screen" },
	{ 0 },
};

static int take_interval(struct watch_options *options, const char *value, struct pm_error *error)
{
	double seconds;
	if (delta_parse_duration(value, &seconds, error) < 0)
		return -1;
	if (seconds < 0.1)
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"%s is too short: looking more often than 10 times a second would disturb",
			value);

	options->interval = seconds;
	return 0;
}

static int take_budget(struct watch_options *options, const char *value, struct pm_error *error)
{
	char *end;
	double percent = strtod(value, &end);

	/* strtod(3) also takes blanks, signs, words and exponents. */
	bool plain = value[strspn(value, "0123456789.%")] == '\0';
	if (!plain || percent > 100 || end == value || strcmp(end + (*end == '%'), "") != 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "'%s' is no percentage from 0 to 100",
		                    value);

	options->budget = percent / 100;
	return 0;
}

static int take_sort(struct watch_options *options, const char *value, struct pm_error *error)
{
	static const char *const words[] = { "growth", "rate", "rss", "delta" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(value, words[i]) == 0) {
			options->sort = (enum watch_sort)i;
			return 0;
		}
	return pm_error_set(error, PM_ERROR_USAGE, 0,
	                    "rows are sorted by growth, rate, rss or delta, not '%s'", value);
}

/** Remembers options that have no meaning for a recording. */
static void note_live_only(struct watch_options *options, int id)
{
	static const int ids[] = {
		'i', 'c', OPTION_FOR, OPTION_RECORD, OPTION_BUDGET, OPTION_PEEK
	};
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
		for (const struct cli_option *option = watch_option_list;
		     id == ids[i] && option->name; option++)
			if (option->id == id)
				options->live_only = option->name;
}

static int take(void *into, int id, const char *value, struct pm_error *error)
{
	struct watch_options *options = into;
	note_live_only(options, id);
	switch (id) {
	case 'i':
		return take_interval(options, value, error);
	case 'c':
		return pm_parse_decimal(value, UINT32_MAX, &options->count, error);
	case 'n':
		return pm_parse_decimal(value, UINT32_MAX, &options->top, error);
	case 's':
		return take_sort(options, value, error);
	case OPTION_FOR:
		return delta_parse_duration(value, &options->seconds, error);
	case OPTION_RECORD:
		options->record = value;
		return 0;
	case OPTION_BUDGET:
		return take_budget(options, value, error);
	case OPTION_PEEK:
		return pm_parse_decimal(value, UINT32_MAX, &options->peek, error);
	default:
		options->plain = true;
		return 0;
	}
}

static const struct cli_group groups[] = {
	{ "How:", watch_option_list, take, 0 },
	{ "When to act:", events_options_table, events_options_parse,
	  offsetof(struct watch_options, events) },
	{ "Which regions:", selection_options, selection_parse_option,
	  offsetof(struct watch_options, selection) },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct watch_options, output) },
	{ 0 },
};

static const char *const exclusive[] = { "json plain", NULL };

const struct cli_spec watch_spec = {
	.command = "watch",
	.operands = "TARGET [REGION]...",
	.purpose = "Watches a process and tells which of its regions grow, how fast, whether that is\n"
	           "a steady leak, a burst or over, and when it meets its memory limit.",
	.groups = groups,
	.exclusive = exclusive,
	.notes = "TARGET is a PID, or a process name that fits one process; or a recording, whose\n"
	         "samples are summed up. Regions are looked at only when the totals of the\n"
	         "process move. On a terminal this is a live screen (? tells its keys). Ctrl-C\n"
	         "ends it with a summary.",
	.absent = { "by", "its screen sums up by kind with the key g; map and diff have --by kind" },
	.examples = {
		{ "procmem watch java", "what grows in the process called java, every two seconds" },
		{ "procmem watch --for 1h -i 10 --record java.pmrec -q java", "record for an hour, and print the summary only" },
	},
	.operands_min = 1,
	.operands_max = -1,
};
