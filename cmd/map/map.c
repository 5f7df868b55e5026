/* SPDX-License-Identifier: MIT */
#include "map/map.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

#include <procmem/number.h>

#include "map/at.h"
#include "map/print.h"
#include "target/memory.h"
#include "target/target_list.h"

enum { OPTION_BY = CLI_LONG_ONLY, OPTION_WHY };

static const struct cli_option map_option_list[] = {
	{ 'a', "all", NULL,
	  "show all regions, not only those that fit the\n"
	  "screen" },
	{ OPTION_BY, "by", "WHAT",
	  "print sums by kind, mapping, perms, arena, thread,\nobject or owner" },
	{ OPTION_WHY, "why", NULL, "show for each region why it has its kind" },
	{ 'x', "pmap", NULL, "print exactly what 'pmap -x' prints" },
	{ 0 },
};

static int parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct map_options *options = into;
	switch (id) {
	case 'a':
		options->list.all = true;
		return 0;
	case OPTION_BY:
		return group_by_parse(value, &options->by, error);
	case OPTION_WHY:
		options->why = true;
		return 0;
	default:
		options->pmap = true;
		return 0;
	}
}

static const struct cli_group groups[] = {
	{ "What to show:", map_option_list, parse_option, 0 },
	{ "How:", options_of_lists, options_parse_list, offsetof(struct map_options, list) },
	{ "Where:", target_list_family_options, target_list_parse_family,
	  offsetof(struct map_options, which) },
	{ "Which regions:", selection_options, selection_parse_option,
	  offsetof(struct map_options, selection) },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct map_options, output) },
	{ 0 },
};

static const char *const exclusive[] = {
	"json csv pmap",
	"pmap by",
	"pmap columns",
	"pmap sort",
	"pmap reverse",
	"pmap top",
	"pmap why",
	"pmap bytes",
	"why by",
	"why csv",
	"all top",
	"pmap children",
	"pmap cgroup",
	"why children",
	"why cgroup",
	TARGET_LIST_EXCLUSIVE,
	NULL,
};

const struct cli_spec map_spec = {
	.command = "map",
	.operands = "TARGET [REGION]...",
	.purpose = "Lists the memory regions of a process, and what each region is for. The\n"
		   "regions with the most resident memory come first.",
	.groups = groups,
	.exclusive = exclusive,
	.notes = "TARGET is a PID, several PIDs separated by commas, a process name that matches\n"
		 "one process, a saved smaps or maps file, an ELF core file, or a recording: FILE\n"
		 "or FILE@SAMPLE.\n"
		 "REGION is an address, ADDR-END, ADDR+LEN, a kind, [name] or 'all'. For a single\n"
		 "address, map shows what is there.",
	.examples = {
		{ "procmem map java", "the regions of the process called java, largest first" },
		{ "procmem map --by kind 4711", "how much memory each kind has in process 4711" },
	},
	.operands_min = 1,
	.operands_max = -1,
};

/**
 * Adds the selected regions to a list.
 *
 * @param loaded   the target
 * @param options  the selection
 * @param list     receives the regions
 * @param error    also set if no region matches
 * @return         1; 0 if no region matches the filters; -1 on error
 */
static int choose_regions(const struct loaded *loaded, const struct map_options *options,
                          struct list *list, struct pm_error *error)
{
	struct pm_region_range *ranges;
	size_t count;
	int result = selection_apply(&options->selection, &loaded->regions, options->output.quiet,
	                             &ranges, &count, error);
	if (result < 0)
		return -(error->kind != PM_ERROR_NOT_FOUND);

	size_t last = SIZE_MAX;
	for (size_t i = 0; i < count; i++) {
		if (ranges[i].region != SIZE_MAX && ranges[i].region != last)
			list_add(list, &loaded->regions.items[ranges[i].region]);
		last = ranges[i].region;
	}

	free(ranges);
	if (list->count == 0)
		pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
		             "none of the %zu region%s of %s matches the filters",
		             loaded->regions.count, text_plural(loaded->regions.count),
		             loaded->target->word);

	return list->count > 0;
}

/**
 * Initialises the list that is printed: a list of groups with --by, a list of processes with
 * --children or --cgroup, otherwise a list of regions.
 */
static int init_shown(struct list *list, const struct map_options *options,
                      const struct groups *grouping, struct pm_error *error)
{
	const struct list_spec *spec = &region_columns_spec;

	if (grouping)
		spec = group_columns_spec(grouping);
	else if (options->processes)
		spec = &map_processes_spec;

	return list_init(list, spec, &options->list, options->output.bytes, error);
}

/** Returns enum region_needs bits for the data that the output and the selection need. */
static unsigned needs_of(const struct map_options *options, const struct list *shown)
{
	unsigned needs = selection_needs(&options->selection);

	if (options->why)
		needs |= REGION_NEEDS_KINDS;

	if (options->pmap)
		return needs | REGION_NEEDS_SMAPS;
	if (!options->output.json)
		return needs | list_needs(shown);
	if (options->by)
		return needs | REGION_NEEDS_SMAPS | REGION_NEEDS_KINDS;

	return needs | json_list_needs(shown);
}

static void report_cost(const struct loaded *loaded, const struct map_options *options,
                        unsigned needs)
{
	if (options->output.quiet)
		return;

	if (options->output.verbose) {
		const char *read = "maps";
		if (loaded->source == PM_SMAPS)
			read = "smaps";
		else if (loaded->from_pagemap)
			read = "maps and pagemap";
		report_note(
			"read %zu region%s from %s in %.1f ms, determined their kinds in %.1f ms",
			loaded->regions.count, text_plural(loaded->regions.count), read,
			(double)loaded->read_us / 1000, (double)loaded->kinds_us / 1000);
	}

	if (loaded->core && pm_core_info(loaded->core)->truncated)
		memory_report_truncated(loaded->core, loaded->target->word);
	if (loaded->core)
		report_note(MAP_HELD
		            " is the size in the core file; a core file does not show which memory "
		            "was resident, shared or dirty, nor the names of threads");
	else if (!loaded->target->process && !loaded->recorded.word && (needs & REGION_NEEDS_KINDS))
		report_note("a saved maps or smaps file does not show which regions belong to "
		            "malloc, nor to which threads the stacks belong");

	if (loaded->reader_failure.kind != PM_ERROR_NONE)
		report_note("malloc regions are shown as anon: %s", loaded->reader_failure.text);
}

/**
 * Returns whether the command line asks for a single address: the only operand after TARGET is an
 * address, and no option asks for groups, pmap text, CSV or certain columns.
 */
static bool asks_for_address(const struct map_options *options, const struct cli_result *words,
                             uint64_t *address)
{
	if (words->count != 2 || pm_parse_address(words->operands[1], address, NULL) < 0)
		return false;
	return !options->by && !options->pmap && !options->list.csv && !options->list.columns &&
	       !options->processes;
}

/** Returns whether only RSS and swap are known, as in a recording made by `watch`. */
static bool has_two_sizes(const struct loaded *loaded)
{
	return loaded->recorded.word && loaded->regions.count > 0 &&
	       !pm_region_knows(&loaded->regions.items[0], PM_SIZE_PSS);
}

/** Returns the description of a list whose default columns need only sizes that are known. */
static const struct list_spec *spec_of(const struct loaded *loaded)
{
	if (!loaded->sizes_known)
		return &region_columns_maps_only;
	if (has_two_sizes(loaded))
		return &region_columns_recorded;

	return &region_columns_spec;
}

/**
 * Prints the target.
 *
 * @return 1; 0 if no region matches the filters (`error` is set); -1 on error
 */
static int print(const struct loaded *loaded, const struct map_options *options,
                 const struct cli_result *words, struct groups *grouping, struct out *out,
                 struct pm_error *error)
{
	static const struct list_options usual = { 0 };
	const struct list_options *list_options = &options->list;
	struct list list;
	uint64_t address;

	if (grouping || options->processes)
		list_options = &usual;
	if (grouping && has_two_sizes(loaded))
		group_know_two_sizes(grouping);
	if (list_init(&list, spec_of(loaded), list_options, options->output.bytes, error) < 0)
		return -1;

	int chosen = choose_regions(loaded, options, &list, error), printed = 0;
	if (chosen > 0 && asks_for_address(options, words, &address))
		printed = map_at_print(loaded, address, options, out, error);
	else if (chosen > 0)
		printed = map_print(loaded, &list, grouping, options, out, error);

	list_deinit(&list);
	if (printed < 0)
		return -1;

	return chosen;
}

/**
 * Refuses --sort and --pmap if they need sizes that are not known. Without --sort, the list is
 * sorted by a column whose values are known, so nothing is refused.
 */
static int check_known(const struct loaded *loaded, const struct map_options *options,
                       const struct list *shown, struct pm_error *error)
{
	unsigned unknown = 0;
	if (!loaded->sizes_known)
		unknown = REGION_NEEDS_RSS | REGION_NEEDS_SMAPS;
	if (has_two_sizes(loaded))
		unknown = REGION_NEEDS_SMAPS;
	if (options->pmap && has_two_sizes(loaded))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "--pmap needs dirty sizes, but recordings of 'watch' do not "
		                    "have them; use a recording of 'snap'");
	if (!options->list.sort || !(shown->sort->needs & unknown))
		return 0;

	const char *why = "maps files do not have this field; use a smaps file";
	if (has_two_sizes(loaded))
		why = "recordings of 'watch' do not have this field; use a recording of 'snap'";

	return pm_error_set(error, PM_ERROR_USAGE, 0, "cannot sort by %s: %s", shown->sort->name,
	                    why);
}

/**
 * Reads the target and prints it.
 * @return as print()
 */
static int show(const struct target *target, const struct map_options *options,
                const struct cli_result *words, struct groups *grouping, struct out *out,
                struct pm_error *error)
{
	struct list shown;
	struct loaded loaded;
	uint64_t address;

	if (init_shown(&shown, options, grouping, error) < 0)
		return -1;

	unsigned needs = needs_of(options, &shown);
	/*
	 * For a single address, always read smaps and the kinds: the kinds are most reliable with
	 * smaps, and the user wants details of one region.
	 */
	if (asks_for_address(options, words, &address))
		needs |= REGION_NEEDS_SMAPS | REGION_NEEDS_KINDS;

	if (regions_load(&loaded, target, needs, error) < 0)
		return -1;

	report_cost(&loaded, options, needs);
	int status = check_known(&loaded, options, &shown, error);
	if (status == 0)
		status = print(&loaded, options, words, grouping, out, error);
	regions_load_deinit(&loaded);

	return status;
}

/**
 * If an operand is the PID of a process, adds a hint to the error: `map` has read that number as an
 * address.
 */
static void hint_at_processes(const struct cli_result *words, struct pm_error *error)
{
	for (int i = 1; i < words->count; i++) {
		const char *word = words->operands[i];
		struct pm_process *process;
		uint64_t pid;
		if (pm_parse_decimal(word, INT_MAX, &pid, NULL) < 0 || pid == 0 ||
		    pm_process_open(NULL, (pid_t)pid, &process, NULL) < 0)
			continue;
		pm_process_close(process);
		pm_error_prefix(
			error,
			"%s was read as a hexadecimal address, not as a PID (to list several "
			"processes, separate the PIDs by commas): ",
			word);
		return;
	}
}

/**
 * Prints an open target.
 * @return as print()
 */
static int show_grouped(const struct target *target, const struct map_options *options,
                        const struct cli_result *words, struct out *out, struct pm_error *error)
{
	struct groups *grouping = NULL;
	if (options->by)
		grouping = group_create(options->by);

	int status = show(target, options, words, grouping, out, error);
	group_destroy(grouping);
	return status;
}

/**
 * Prints one of the targets.
 * @return exit status
 */
static enum status run_one(struct target_list *targets, size_t index,
                           const struct map_options *options, const struct cli_result *words,
                           struct out *out)
{
	struct pm_error error;
	struct target target = { 0 };

	int status = target_open(&target, targets->words[index], &error);
	if (status == 0)
		status = target_check_start(&target, target_list_start_ticks(targets, index),
		                            &error);
	if (status == 0)
		status = show_grouped(&target, options, words, out, &error);
	target_close(&target);
	if (status > 0)
		return STATUS_OK;

	out_flush(out);
	if (status < 0)
		return target_list_failed(targets, index, &error, options->output.quiet);

	hint_at_processes(words, &error);
	target_list_lacks(targets, &error);
	return STATUS_NOTHING;
}

/** Returns whether the output has a row for each process instead of its regions. */
static bool lists_processes(const struct map_options *options)
{
	return options->which >= TARGET_LIST_CHILDREN && !options->by && !options->output.json;
}

/** Prints all targets, one after the other. */
static enum status run_each(struct target_list *targets, const struct map_options *options,
                            const struct cli_result *words, struct out *out)
{
	enum status result = STATUS_NOTHING;
	bool separate = false;

	for (size_t i = 0; i < targets->count && !out_failed(out); i++) {
		if (separate)
			out_string(out, "\n");
		enum status status = run_one(targets, i, options, words, out);
		if (result == STATUS_NOTHING || status == STATUS_ERROR)
			result = status;
		separate = status == STATUS_OK && !options->output.json && !options->processes;
	}

	return result;
}

/** Prints what was summed up: a row for each process, or the sums over them. */
static int print_sums(const struct map_options *options, const struct target_list *targets,
                      struct out *out, struct pm_error *error)
{
	if (options->processes && options->processes->count == 0)
		return 0;
	if (options->processes)
		return map_processes_print(options->processes, targets, &options->list,
		                           options->output.bytes, out, error);

	return map_sum_print(options->sum, targets, &options->list, &options->output, out, error);
}

/**
 * Prints a list of targets.
 *
 * @return exit status: STATUS_ERROR if a target could not be read, STATUS_NOTHING if no target has
 *         a region that matches
 */
static enum status run_list(struct map_options *options, struct target_list *targets,
                            const struct cli_result *words, struct out *out)
{
	struct map_sum sum = { 0 };
	struct map_processes processes = { 0 };
	struct pm_error error;

	options->sum = &sum;
	if (lists_processes(options))
		options->processes = &processes;

	if (options->list.csv && targets->count > 1 && !options->processes) {
		report_error("map: --csv lists only one process, but '%s' refers to %zu processes: "
		             "use --json",
		             words->operands[0], targets->count);
		return STATUS_ERROR;
	}

	enum status result = run_each(targets, options, words, out);
	if (print_sums(options, targets, out, &error) < 0)
		result = report_failure(&error);
	out_flush(out);
	if (target_list_report(targets, options->output.quiet) == STATUS_ERROR)
		result = STATUS_ERROR;

	map_processes_deinit(&processes);
	map_sum_deinit(&sum);
	options->processes = NULL;
	options->sum = NULL;
	return result;
}

/** Prints all targets that the TARGET word refers to. */
static enum status run(struct map_options *options, const struct cli_result *words, struct out *out)
{
	struct pm_error error;
	struct target_list targets = { 0 };
	enum status status;

	if (selection_add_words(&options->selection, words->operands + 1, words->count - 1,
	                        &error) < 0 ||
	    target_list_read(&targets, words->operands[0], options->which, &error) < 0)
		status = report_failure(&error);
	else
		status = run_list(options, &targets, words, out);

	target_list_deinit(&targets);
	return status;
}

enum status map_run(struct out *out, int argc, char **argv)
{
	struct map_options options = { 0 };
	struct cli_result words;
	struct pm_error error;
	if (selection_init(&options.selection, &error) < 0)
		return report_failure(&error);
	if (!cli_parse(&map_spec, out, argc, argv, &options, &words)) {
		selection_deinit(&options.selection);
		return words.status;
	}

	out_set_colour(out, options.output.colour);
	/* The table prints the reason below each region. In JSON, the reason is a column. */
	if (options.why && options.output.json && !options.list.columns)
		options.list.columns = "+why";

	const struct list_spec *spec = &region_columns_spec;
	struct groups *grouping = NULL;
	enum status status = STATUS_OK;

	if (options.by) {
		grouping = group_create(options.by);
		spec = group_columns_spec(grouping);
	} else if (lists_processes(&options)) {
		spec = &map_processes_spec;
	}

	if (options_want_help(&options.list))
		list_print_columns(spec, out);
	else if (cli_check_operands(&map_spec, &words))
		status = run(&options, &words, out);
	else
		status = words.status;

	group_destroy(grouping);
	selection_deinit(&options.selection);

	return status;
}
