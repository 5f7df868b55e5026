/* SPDX-License-Identifier: MIT */
#include "ps/ps.h"

#include <stddef.h>

#include "base/clock.h"
#include "base/delta.h"
#include "base/report.h"
#include "cli/options.h"
#include "ps/columns.h"
#include "ps/group_columns.h"
#include "ps/groups.h"
#include "ps/growth.h"
#include "ps/listing.h"
#include "ps/tree.h"
#include "view/json.h"
#include "view/list.h"
#include "view/list_print.h"

enum { OPTION_TREE = CLI_LONG_ONLY, OPTION_BY, OPTION_FOR };

/** The parsed options. */
struct ps_options {
	struct list_options list;
	struct output_options output;
	bool tree;      /* --tree */
	enum ps_by by;  /* --by */
	double seconds; /* --for; 0 if it was not given */
};

static const struct cli_option ps_option_list[] = {
	{ 'a', "all", NULL,
	  "list all processes, including kernel threads and\n"
	  "those that do not fit on the screen" },
	{ OPTION_TREE, "tree", NULL,
	  "list children below their parents, with the memory\n"
	  "of each subtree; with NAME, processes that match and\n"
	  "all processes below them" },
	{ OPTION_BY, "by", "WHAT",
	  "list one row for each program, cgroup, user or\n"
	  "container" },
	{ OPTION_FOR, "for", "DURATION",
	  "wait for this time (10s, 5m), and show how fast the\n"
	  "resident memory of each process changes" },
	{ 0 },
};

static int parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct ps_options *options = into;

	switch (id) {
	case OPTION_TREE:
		options->tree = true;
		return 0;
	case OPTION_BY:
		return ps_groups_parse(value, &options->by, error);
	case OPTION_FOR:
		return delta_parse_duration(value, &options->seconds, error);
	default:
		options->list.all = true;
		return 0;
	}
}

static const struct cli_group groups[] = {
	{ "What to show:", ps_option_list, parse_option, 0 },
	{ "Order and format:", options_of_lists, options_parse_list,
	  offsetof(struct ps_options, list) },
	{ "Output:", options_of_output, options_parse_output, offsetof(struct ps_options, output) },
	{ 0 },
};

static const char *const exclusive[] = { "json csv", "tree by", NULL };

const struct cli_spec ps_spec = {
	.command = "ps",
	.operands = "[NAME]",
	.purpose = "Lists processes, those with the most resident memory first.",
	.groups = groups,
	.exclusive = exclusive,
	.notes = "NAME is a PID, or a regular expression (PCRE2) that is matched against the\n"
		 "command name and the command line. With NAME, the processes that started this\n"
		 "procmem (sudo, timeout, sh -c) are not listed.\n"
		 "With --by, MEMORY is the memory of the group: USS, which is private to one\n"
		 "process, and shared memory, each page divided by the number of processes that\n"
		 "share it (PSS). Memory that only the group shares counts once. It is not what\n"
		 "the cgroup is charged: page cache, tmpfs and kernel memory are missing.\n"
		 "'>' means at least: UNREAD processes of the group are missing in the sum.\n"
		 "Reading pss, uss and memory (--by) makes the kernel walk all memory of each\n"
		 "listed process. The process cannot map memory during that time.",
	.examples = {
		{ "procmem ps --by container",
		  "list which container uses how much memory" },
		{ "procmem ps --tree --for 10s java",
		  "list 'java' with all processes below it, and how fast each one grows" },
	},
	.operands_min = 0,
	.operands_max = 1,
};

/** All that a run reads. */
struct work {
	const struct ps_options *options;
	struct list list;
	struct ps_filter filter;
	struct ps_growth growth;
	struct ps_listing listing;
	struct ps_groups groups;
};

/** Initializes the list. */
static int init_list(struct work *work, struct pm_error *error)
{
	const struct ps_options *options = work->options;
	const bool with_for = options->seconds > 0;
	const struct list_spec *spec = ps_columns_spec(options->tree, with_for);

	if (options->by != PS_BY_NOTHING)
		spec = ps_group_columns_spec(options->by, with_for, work->listing.unread_count > 0);

	list_deinit(&work->list);
	return list_init(&work->list, spec, &options->list, options->output.bytes, error);
}

/** Refuses columns that need an option that was not given. */
static int check_needs(const struct ps_options *options, unsigned needs, struct pm_error *error)
{
	if ((needs & PS_NEEDS_FOR) && options->seconds == 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "the columns rate, tree_rate, new and ended need --for: try "
		                    "--for 10s");
	if ((needs & PS_NEEDS_TREE) && !options->tree)
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"the columns tree_rss, tree_pss, tree_rate and depth need --tree");

	unsigned names = needs & ~(PS_NEEDS_BY - 1U);

	if (names != 0 && names != (unsigned)PS_NEEDS_BY << options->by)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "of the columns program, cgroup, user and container, there is "
		                    "only '%s' with --by %s",
		                    ps_groups_word(options->by), ps_groups_word(options->by));
	return 0;
}

/** Adds the rows to the list, in the order in which they are printed. */
static void fill_list(struct work *work)
{
	const struct ps_options *options = work->options;
	struct ps_listing *listing = &work->listing;

	if (options->by != PS_BY_NOTHING) {
		ps_groups_make(&work->groups, options->by, listing, &work->growth,
		               options->output.bytes);
		for (size_t i = 0; i < work->groups.count; i++)
			list_add(&work->list, &work->groups.items[i]);
	}

	if (options->tree)
		ps_tree_sum(listing->rows, listing->count);
	for (size_t i = 0; i < listing->count && options->by == PS_BY_NOTHING; i++) {
		listing->rows[i].bytes = options->output.bytes;
		list_add(&work->list, &listing->rows[i]);
	}

	list_sort(&work->list);
	if (options->tree)
		ps_tree_order(&work->list);
}

static int print_json(const struct work *work, struct out *out, struct pm_error *error)
{
	const struct ps_options *options = work->options;
	const bool grouped = options->by != PS_BY_NOTHING;
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_put(&json, "time", json_now());
	if (grouped)
		json_put(&json, "by", json_string(ps_groups_word(options->by)));
	if (options->seconds > 0)
		json_put(&json, "seconds", json_real(work->growth.seconds));
	if (json_put_list(&json, grouped ? "groups" : "processes", &work->list, error) < 0)
		return -1;

	if (options->seconds > 0)
		json_put(&json, "processes_ended", ps_growth_json_ended(&work->growth));
	json_put(&json, "processes_unread", ps_listing_json_unread(&work->listing));
	json_put_total(&json, &work->list,
	               grouped ? "processes,memory,uss,pss,swap,unread" : "pss,uss,swap");
	json_shut(&json, '}');
	out_string(out, "\n");
	return 0;
}

/**
 * Prints the rows, or why there are none.
 * @return exit status
 */
static enum status print(struct work *work, struct out *out)
{
	const struct output_options *output = &work->options->output;
	struct pm_error error;

	if (work->list.count == 0 && work->filter.name) {
		report_error("no process matches '%s'", work->filter.name);
		return STATUS_NOTHING;
	}
	if (work->list.count == 0) {
		report_error("there are no processes to list");
		return STATUS_NOTHING;
	}

	if (!output->json)
		list_print(&work->list, out);
	else if (print_json(work, out, &error) < 0)
		return report_failure(&error);

	return STATUS_OK;
}

/** Reads the processes, twice with --for. */
static int read_processes(struct work *work, unsigned needs, struct pm_error *error)
{
	const struct ps_options *options = work->options;
	uint64_t started = clock_us();

	if (options->seconds > 0 &&
	    ps_growth_start(&work->growth, &work->filter, needs, options->seconds, error) < 0)
		return -1;
	if (options->seconds > 0)
		started = clock_us();

	if (ps_listing_read(&work->listing, &work->filter, needs, &work->growth.before, error) < 0)
		return -1;

	if (options->seconds > 0)
		ps_growth_end(&work->growth, &work->listing);
	if (options->output.verbose && !options->output.quiet)
		report_note("%zu processes read in %.1f ms", work->listing.processes.count,
		            (double)(clock_us() - started) / 1000);

	return 0;
}

/**
 * Lists the processes.
 * @return 0 with the exit status, or -1
 */
static int run(struct work *work, struct out *out, enum status *status, struct pm_error *error)
{
	const struct ps_options *options = work->options;

	if (init_list(work, error) < 0 ||
	    name_filter_init(&work->filter.regex, work->filter.name, error) < 0)
		return -1;

	unsigned needs = options->output.json ? json_list_needs(&work->list)
	                                      : list_needs(&work->list);
	if (check_needs(options, needs, error) < 0)
		return -1;

	needs |= ps_groups_needs(options->by);
	if (read_processes(work, needs, error) < 0)
		return -1;
	/* If processes could not be read, there is one more column. */
	if (work->listing.unread_count > 0 && init_list(work, error) < 0)
		return -1;

	fill_list(work);
	*status = print(work, out);
	if (!options->output.quiet) {
		ps_growth_report(&work->growth);
		ps_listing_report(&work->listing, options->output.verbose);
	}

	return 0;
}

enum status ps_run(struct out *out, int argc, char **argv)
{
	struct ps_options options = { 0 };
	struct work work = { .options = &options };
	struct cli_result words;
	struct pm_error error;
	enum status status;

	if (!cli_parse(&ps_spec, out, argc, argv, &options, &words))
		return words.status;

	out_set_colour(out, options.output.colour);
	if (options_want_help(&options.list)) {
		const struct list_spec *spec = ps_columns_spec(false, false);

		if (options.by != PS_BY_NOTHING)
			spec = ps_group_columns_spec(options.by, false, false);
		list_print_columns(spec, out);
		return STATUS_OK;
	}
	if (!cli_check_operands(&ps_spec, &words))
		return words.status;

	work.filter.all = options.list.all;
	work.filter.tree = options.tree;
	work.filter.name = words.count > 0 ? words.operands[0] : NULL;
	if (run(&work, out, &status, &error) < 0)
		status = report_failure(&error);

	list_deinit(&work.list);
	ps_groups_deinit(&work.groups);
	ps_growth_deinit(&work.growth);
	ps_listing_deinit(&work.listing);
	name_filter_deinit(&work.filter.regex);
	return status;
}
