/* SPDX-License-Identifier: MIT */
#include "headroom/headroom.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>

#include "base/delta.h"
#include "headroom/csv.h"
#include "headroom/follow.h"
#include "headroom/json.h"
#include "headroom/print.h"
#include "headroom/rates.h"
#include "target/sampled.h"
#include "target/target.h"

enum {
	OPTION_FOR = CLI_LONG_ONLY,
	OPTION_FROM,
	OPTION_MIN,
	OPTION_CSV,
	OPTION_CHILDREN,
	OPTION_CGROUP,
	OPTION_ALL_PROCESSES,
	OPTION_FOLLOW
};

static const struct cli_option headroom_option_list[] = {
	{ OPTION_FOR, "for", "DURATION",
	  "watch for this time (30s, 5m), to estimate when\nthe limits are reached" },
	{ OPTION_FROM, "from", "FILE",
	  "use the growth rates of a recording to estimate when\n"
	  "the limits are reached, without watching the process" },
	{ OPTION_CSV, "csv", NULL, "print the limits as comma-separated values, sizes in\nbytes" },
	{ OPTION_MIN, "min", "SIZE|PERCENT",
	  "exit with status 1 if less memory than this is\n"
	  "left (500M, 15%)" },
	{ 0 },
};

static const struct cli_option processes_option_list[] = {
	{ OPTION_CHILDREN, "children", NULL, "add a row for TARGET and each process below it" },
	{ OPTION_CGROUP, "cgroup", NULL, "add a row for each process of its cgroup" },
	{ OPTION_ALL_PROCESSES, "all-processes", NULL,
	  "add a row for each process with the name TARGET;\n"
	  "the limits are those of the largest one" },
	{ OPTION_FOLLOW, "follow", NULL,
	  "if the process with the name TARGET ends, continue\n"
	  "with the next one that has this name" },
	{ 0 },
};

/* Smallest value of --min, in bytes. If the value is smaller than a page, the user has probably
 * forgotten the unit. */
static const uint64_t min_size = 4096;

static int check_min(const char *value, uint64_t bytes, struct pm_error *error)
{
	int digits = (int)strspn(value, "0123456789");
	if (bytes == 0 || bytes >= min_size)
		return 0;
	if (bytes > 100)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%s' is less than a page of memory; did you mean %.*sM?",
		                    value, digits, value);

	return pm_error_set(error, PM_ERROR_USAGE, 0,
	                    "'%s' is less than a page of memory; did you mean %.*s%% or %.*sM?",
	                    value, digits, value, digits, value);
}

static int parse_min(struct headroom_options *options, const char *value, struct pm_error *error)
{
	size_t length = strlen(value);

	options->min_given = true;
	if (length == 0 || value[length - 1] != '%') {
		if (pm_parse_size(value, &options->min_bytes, error) < 0)
			return -1;
		return check_min(value, options->min_bytes, error);
	}

	char digits[8];
	uint64_t percent;
	if (length > sizeof digits)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "'%s' is not a percentage", value);

	memcpy(digits, value, length - 1);
	digits[length - 1] = '\0';
	if (pm_parse_decimal(digits, 100, &percent, error) < 0)
		return -1;

	options->min_percent = (double)percent;
	return 0;
}

static int parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct headroom_options *options = into;

	switch (id) {
	case OPTION_FOR:
		return delta_parse_duration(value, &options->source.seconds, error);
	case OPTION_FROM:
		options->source.recording = value;
		return 0;
	case OPTION_MIN:
		return parse_min(options, value, error);
	case OPTION_CSV:
		options->output.csv = true;
		return 0;

	case OPTION_CHILDREN:
		options->source.scope = HEADROOM_CHILDREN;
		break;
	case OPTION_CGROUP:
		options->source.scope = HEADROOM_CGROUP;
		break;
	case OPTION_ALL_PROCESSES:
		options->source.scope = HEADROOM_NAMED;
		break;
	default:
		options->follow = true;
	}

	return 0;
}

static const struct cli_group groups[] = {
	{ "What to report:", headroom_option_list, parse_option, 0 },
	{ "Processes:", processes_option_list, parse_option, 0 },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct headroom_options, output) },
	{ 0 },
};

static const char *const exclusive[] = {
	"for from",
	"csv json",
	"csv children: the limits are one table, the processes another; use --json",
	"csv cgroup: the limits are one table, the processes another; use --json",
	"csv all-processes: the limits are one table, the processes another; use --json",
	"children cgroup all-processes follow",
	"from children: a recording has one process only",
	"from cgroup: a recording has one process only",
	"from all-processes: a recording has one process only",
	"from follow: a recording has one process only",
	NULL,
};

const struct cli_spec headroom_spec = {
	.command = "headroom",
	.operands = "TARGET",
	.purpose = "Reports the limits of a process, how much of each limit is used, and, with\n"
		   "--for or --from, when the limits will be reached.",
	.groups = groups,
	.exclusive = exclusive,
	.notes = "TARGET is a PID, or a process name that matches one process. With\n"
		 "--all-processes, the name may match several.",
	.examples = {
		{ "procmem headroom --for 30s java",
		  "when the process called java reaches its limits" },
		{ "procmem headroom -q --min 15% 4711",
		  "fail if less than 15% of the memory limit is left" },
	},
	.operands_min = 1,
	.operands_max = 1,
};

/**
 * Computes the resident and swapped bytes and the number of regions of each kind, and adds the
 * limits of runtimes.
 */
static int sum_kinds(struct headroom_report *report, struct pm_process *process,
                     struct pm_error *error)
{
	struct pm_sampler *sampler;
	struct pm_sample sample;
	if (sampled_take_sample(process, &sampler, &sample, error) < 0)
		return -1;

	report->totals = sample.totals;
	for (size_t i = 0; i < sample.regions->count; i++) {
		const struct pm_region *region = &sample.regions->items[i];
		report->weights[region->kind] += region->bytes[PM_SIZE_RSS] +
		                                 region->bytes[PM_SIZE_SWAP];
		report->swapped[region->kind] += region->bytes[PM_SIZE_SWAP];
		report->counts[region->kind]++;
	}

	if (sample.runtimes)
		pm_headroom_add_runtimes(&report->headroom, sample.runtimes);
	pm_sampler_close(sampler);
	return 0;
}

/**
 * Checks whether as much memory is left as --min requires. Returns true also if --min was not given
 * or there is no memory limit.
 */
static bool is_enough(const struct headroom_report *report)
{
	const struct headroom_options *options = report->options;
	const struct pm_limit *limit = pm_headroom_memory(&report->headroom);
	if (!options->min_given || !limit)
		return true;

	double left = (double)pm_limit_left(limit);
	if (options->min_percent > 0)
		return left >= (double)limit->max * options->min_percent / 100;

	return left >= (double)options->min_bytes;
}

/** Reports that less memory is left than --min requires. */
static void note_too_little(const struct headroom_report *report)
{
	const struct headroom_options *options = report->options;
	const struct pm_limit *limit = pm_headroom_memory(&report->headroom);
	struct text line = { 0 };
	text_size(&line, pm_limit_left(limit));
	text_string(&line, " left, less than ");
	if (options->min_percent > 0) {
		text_format(&line, "%.0f%% of ", options->min_percent);
		text_size(&line, limit->max);
	} else {
		text_size(&line, options->min_bytes);
	}

	report_note("%s (--min)", text_terminate(&line));
	text_deinit(&line);
}

static void report_limits(const struct pm_headroom *headroom)
{
	const char *group = headroom->cgroup_version > 0 ? "the memory cgroup is visible"
	                                                 : "no memory cgroup is visible";
	report_note("number of limits that apply: %zu; %s", headroom->count, group);
}

/** Reads all that is printed after the rates were measured. */
static int read_report(struct headroom_report *report, struct pm_process *process,
                       struct pm_process_info *info, struct pm_error *error)
{
	if (pm_process_read_info(process, info, error) < 0 ||
	    pm_process_read_command(process, &report->command, error) < 0 ||
	    pm_headroom_read(process, NULL, &report->headroom, error) < 0 ||
	    sum_kinds(report, process, error) < 0 ||
	    pm_members_read(process, NULL, &report->members, error) < 0)
		return -1;

	report->info = info;
	return 0;
}

/** Takes what is known of a process that has ended. */
static int take_last(struct headroom_report *report, struct pm_error *error)
{
	const struct headroom_last *last = &report->rates->last;

	free(report->command);
	pm_members_deinit(&report->members);
	report->members = (struct pm_members){ 0 };
	memset(report->weights, 0, sizeof report->weights);
	memset(report->swapped, 0, sizeof report->swapped);
	memset(report->counts, 0, sizeof report->counts);
	report->command = strdup(last->command ? last->command : "");
	if (!report->command)
		return pm_error_set(error, PM_ERROR_RESOURCES, ENOMEM, "out of memory");

	report->info = &last->info;
	report->totals = last->totals;
	report->headroom = last->headroom;
	return 0;
}

/**
 * Fills the report. If the process has ended during the measurement, the report is that of the last
 * sample.
 * @return 0 or -1; `error` has a value if the process has ended
 */
static int fill_report(struct headroom_report *report, struct headroom_rates *rates,
                       struct pm_process *process, struct pm_process_info *info,
                       struct pm_error *error)
{
	int result = -1;

	if (!rates->ended)
		result = read_report(report, process, info, error);
	if (result < 0 && !rates->ended && error->kind == PM_ERROR_GONE && rates->last.known)
		headroom_rates_end(rates, error);
	if (result < 0 && rates->ended)
		result = take_last(report, error);
	if (result < 0)
		return -1;

	struct forecast_source source = headroom_rates_source(report->rates);
	for (size_t i = 0; i < report->headroom.count; i++)
		forecast_make(&source, &report->headroom.limits[i], &report->forecasts[i]);

	return 0;
}

/**
 * Reads and prints the headroom.
 *
 * @return 1 if less memory is left than --min requires, 0 if not, -1 on error
 */
static int report_headroom(struct pm_process *process, const struct headroom_options *options,
                           struct headroom_rates *rates, struct out *out, struct pm_error *error)
{
	struct pm_process_info info;
	struct headroom_report report = { .options = options, .rates = rates };

	int result = fill_report(&report, rates, process, &info, error);
	if (result == 0) {
		result = !is_enough(&report);

		if (options->output.verbose && !options->output.quiet)
			report_limits(&report.headroom);

		if (options->output.json)
			headroom_json_print(&report, out);
		else if (options->output.csv)
			headroom_csv_print(&report, out);
		else if (!options->output.quiet)
			headroom_print(&report, out);

		if (result > 0 && !options->output.quiet)
			note_too_little(&report);
	}

	free(report.command);
	pm_members_deinit(&report.members);
	if (result >= 0 && rates->ended)
		return pm_error_set(error, PM_ERROR_GONE, 0, "process %d %s", (int)rates->pid,
		                    rates->last.reason.bytes);

	return result;
}

/** Finds the process, and measures the rates. */
static int measure(const struct headroom_options *options, const char *word,
                   struct headroom_rates *rates, struct pm_process **process,
                   struct pm_error *error)
{
	const struct headroom_source *source = &options->source;
	struct target target;

	if (options->follow)
		return headroom_follow_measure(word, source, rates, process, error);

	if (source->name)
		return headroom_follow_largest(source, rates, process, error);

	if (target_open_process(&target, word, error) < 0)
		return -1;
	*process = target.process;

	if (headroom_rates_measure(rates, *process, source, error) < 0) {
		pm_process_close(*process);
		return -1;
	}

	return 0;
}

enum status headroom_run(struct out *out, int argc, char **argv)
{
	struct headroom_options options = { 0 };
	struct headroom_rates rates;
	struct pm_process *process;
	struct cli_result words;
	struct pm_error error;

	if (!cli_parse(&headroom_spec, out, argc, argv, &options, &words) ||
	    !cli_check_operands(&headroom_spec, &words))
		return words.status;

	options.source.quiet = options.output.quiet;
	if (options.source.scope == HEADROOM_NAMED)
		options.source.name = words.operands[0];
	out_set_colour(out, options.output.colour);
	if (measure(&options, words.operands[0], &rates, &process, &error) < 0)
		return report_failure(&error);

	int result = report_headroom(process, &options, &rates, out, &error);
	pm_process_close(process);
	headroom_rates_deinit(&rates);
	if (result < 0)
		return report_failure(&error);

	if (result > 0)
		return STATUS_NOTHING;

	return STATUS_OK;
}
