/* SPDX-License-Identifier: MIT */
#include "stale/stale.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/delta.h"
#include "stale/columns.h"
#include "stale/json.h"
#include "stale/measure.h"
#include "stale/print.h"
#include "target/target.h"

enum { OPTION_FOR = CLI_LONG_ONLY, OPTION_BY, OPTION_YES };

static const struct cli_option stale_option_list[] = {
	{ OPTION_FOR, "for", "DURATION", "measure for this time (30s, 5m; default 60s)" },
	{ OPTION_YES, "yes", NULL,
	  "measure also a process with more than 8 GiB of\n"
	  "resident memory, which stalls for longer" },
	{ 'a', "all", NULL,
	  "show all regions, not only those that fit the\n"
	  "screen and have 1% of the cold memory" },
	{ OPTION_BY, "by", "WHAT", "print sums by kind, mapping, perms, arena, thread\nor object" },
	{ 0 },
};

static int parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct stale_options *options = into;

	switch (id) {
	case OPTION_FOR:
		return delta_parse_duration(value, &options->seconds, error);
	case OPTION_BY:
		return group_by_parse(value, &options->by, error);
	case OPTION_YES:
		options->yes = true;
		return 0;
	default:
		options->list.all = true;
		return 0;
	}
}

static const struct cli_group groups[] = {
	{ "What to measure:", stale_option_list, parse_option, 0 },
	{ "How:", options_of_lists, options_parse_list, offsetof(struct stale_options, list) },
	{ "Which regions:", selection_options, selection_parse_option,
	  offsetof(struct stale_options, selection) },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct stale_options, output) },
	{ 0 },
};

static const char *const exclusive[] = { "json csv", "all top", NULL };

const struct cli_spec stale_spec = {
	.command = "stale",
	.operands = "TARGET [REGION]...",
	.purpose = "Reports how much memory a process has but does not touch, and in which\n"
		   "regions it is. This changes the process: the referenced marks of its pages\n"
		   "are removed, which stalls it for about 12 ms for each GiB. The man page\n"
		   "describes all effects.",
	.groups = groups,
	.exclusive = exclusive,
	.notes = "TARGET is a PID, or a process name that matches one process.\n"
		 "REGION is an address, ADDR-END, ADDR+LEN, a kind, [name] or 'all'. The marks of\n"
		 "all regions are removed, also of those that are not shown.",
	.examples = {
		{ "procmem stale --for 60s java",
		  "memory that java did not touch for a minute, most first" },
		{ "procmem stale --by kind 4711", "how much of each kind was not touched" },
	},
	.operands_min = 1,
	.operands_max = -1,
};

/** Adds the selected regions to a list. */
static int choose_regions(const struct stale_report *report, struct list *list,
                          struct pm_error *error)
{
	const struct pm_stale_result *result = &report->result;
	struct pm_region_range *ranges;
	size_t count, last = SIZE_MAX;

	if (selection_apply(&report->options->selection, pm_stale_regions(report->stale),
	                    report->options->output.quiet, &ranges, &count, error) < 0)
		return -1;

	for (size_t i = 0; i < count; i++) {
		if (ranges[i].region != SIZE_MAX && ranges[i].region != last)
			list_add(list, &result->regions[ranges[i].region]);
		last = ranges[i].region;
	}

	free(ranges);
	if (list->count == 0)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
		                    "no region of process %d matches the filters any more",
		                    (int)report->info.pid);
	return 0;
}

/** Adds the selected regions to groups, and these to a list. */
static int make_groups(const struct stale_report *report, const struct list *regions,
                       struct groups *grouping, struct list *list, struct pm_error *error)
{
	const struct stale_options *options = report->options;

	if (list_init(list, group_columns_spec(grouping), &options->list, options->output.bytes,
	              error) < 0)
		return -1;

	/* An item of `regions` starts with the region. */
	if (group_fill(grouping, pm_stale_regions(report->stale), regions->items, regions->count,
	               error) < 0)
		return -1;
	group_add_to(grouping, list);
	list_sort(list);

	return 0;
}

static int print(const struct stale_report *report, const struct list *regions,
                 struct list *printed, struct groups *grouping, struct out *out,
                 struct pm_error *error)
{
	if (!report->options->output.json) {
		stale_print(report, regions, printed, out);
		return 0;
	}

	return stale_json_print(report, regions, grouping ? printed : NULL, out, error);
}

/** Chooses what is printed, and prints it. */
static int show(const struct stale_report *report, const struct stale_columns *columns,
                struct groups *grouping, struct out *out, struct pm_error *error)
{
	static const struct list_options usual = { 0 };
	const struct stale_options *options = report->options;
	const struct list_options *list_options = grouping ? &usual : &options->list;
	struct list regions, sums = { 0 };

	if (list_init(&regions, &columns->spec, list_options, options->output.bytes, error) < 0)
		return -1;

	int result = choose_regions(report, &regions, error);
	struct list *printed = grouping ? &sums : &regions;

	if (result == 0)
		list_sort(&regions);
	if (result == 0 && grouping)
		result = make_groups(report, &regions, grouping, &sums, error);
	if (result == 0)
		result = print(report, &regions, printed, grouping, out, error);

	list_deinit(&sums);
	list_deinit(&regions);
	return result;
}

/** Checks the names of columns before the measurement, not after it. */
static int check_columns(const struct list_spec *spec, const struct stale_options *options,
                         struct pm_error *error)
{
	struct list list;

	if (list_init(&list, spec, &options->list, options->output.bytes, error) < 0)
		return -1;

	list_deinit(&list);
	return 0;
}

/**
 * Measures a process and prints the results.
 * @param spec  the description of the list that is printed
 */
static enum status measure(const struct stale_options *options, const char *word,
                           const struct stale_columns *columns, const struct list_spec *spec,
                           struct groups *grouping, struct out *out)
{
	struct stale_report report = { .options = options };
	struct pm_error error;
	struct target target;

	if (check_columns(spec, options, &error) < 0 ||
	    target_open_process(&target, word, &error) < 0)
		return report_failure(&error);

	report.process = target.process;
	int result = stale_measure(&report, &error);
	if (result == 0)
		result = show(&report, columns, grouping, out, &error);

	stale_measure_deinit(&report);
	target_close(&target);
	if (result == 0)
		return STATUS_OK;

	report_failure(&error);
	return result > 0 ? STATUS_NOTHING : STATUS_ERROR;
}

static enum status run(struct stale_options *options, const struct cli_result *words,
                       struct out *out)
{
	struct stale_columns columns;
	struct groups *grouping = NULL;
	const struct list_spec *spec = &columns.spec;
	struct pm_error error;
	enum status status = STATUS_OK;

	stale_columns_init(&columns);
	if (options->by) {
		grouping = group_create(options->by);
		group_know_referenced(grouping);
		spec = group_columns_spec(grouping);
	}

	if (options_want_help(&options->list))
		list_print_columns(spec, out);
	else if (!cli_check_operands(&stale_spec, words))
		status = words->status;
	else if (selection_add_words(&options->selection, words->operands + 1, words->count - 1,
	                             &error) < 0)
		status = report_failure(&error);
	else
		status = measure(options, words->operands[0], &columns, spec, grouping, out);

	group_destroy(grouping);
	return status;
}

enum status stale_run(struct out *out, int argc, char **argv)
{
	struct stale_options options = { 0 };
	struct cli_result words;
	struct pm_error error;
	enum status status;

	if (selection_init(&options.selection, &error) < 0)
		return report_failure(&error);

	if (!cli_parse(&stale_spec, out, argc, argv, &options, &words)) {
		status = words.status;
	} else {
		out_set_colour(out, options.output.colour);
		status = run(&options, &words, out);
	}

	selection_deinit(&options.selection);
	return status;
}
