/* SPDX-License-Identifier: MIT */
#include "map/map.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

#include <procmem/number.h>

#include "map/at.h"
#include "map/print.h"

enum { OPTION_BY = CLI_LONG_ONLY, OPTION_WHY };

static const struct cli_option map_option_list[] = {
	{ 'a', "all", NULL, "all regions, also on a terminal" },
	{ OPTION_BY, "by", "WHAT", "sum up by kind, mapping, perms, arena, thread\nor object" },
	{ OPTION_WHY, "why", NULL, "tell for each region which rule gave its kind" },
	{ 'x', "pmap", NULL, "exactly what 'pmap -x' prints" },
	{ 0 },
};

static int take(void *into, int id, const char *value, struct pm_error *error)
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
	{ "What to show:", map_option_list, take, 0 },
	{ "How:", options_of_lists, options_parse_list, offsetof(struct map_options, list) },
	{ "Which regions:", selection_options, selection_parse_option,
	  offsetof(struct map_options, selection) },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct map_options, output) },
	{ 0 },
};

static const char *const exclusive[] = {
	"json csv pmap", "pmap by",    "pmap columns", "pmap sort", "pmap reverse", "pmap top",
	"pmap why",      "pmap bytes", "why by",       "why csv",   "all top",      NULL,
};

const struct cli_spec map_spec = {
	.command = "map",
	.operands = "TARGET [REGION]...",
	.purpose = "Lists the memory regions of a process, those with the most resident memory\nfirst, and says what each is for.",
	.groups = groups,
	.exclusive = exclusive,
	.notes = "TARGET is a PID, a process name that fits one process, a saved smaps or maps\n"
	         "file, an ELF core file, or a recording: FILE or FILE@SAMPLE.\n"
	         "REGION is an address, ADDR-END, ADDR+LEN, a kind, [name] or 'all'; a single\naddress tells what is there.",
	.examples = {
		{ "procmem map java", "the regions of the process called java, largest first" },
		{ "procmem map --by kind 4711", "how much each kind of memory takes in process 4711" },
	},
	.operands_min = 1,
	.operands_max = -1,
};

/**
 * Puts the regions that the user chose into the list.
 * @return 1: some; 0: none, `error` says so; -1: an error
 */
static int choose_regions(const struct loaded *loaded, const struct map_options *options,
                          struct list *list, struct pm_error *error)
{
	struct pm_region_range *ranges;
	size_t count;
	if (pm_select_apply(options->selection.select, &loaded->regions, &ranges, &count, error) <
	    0)
		return error->kind == PM_ERROR_NOT_FOUND ? 0 : -1;

	size_t last = SIZE_MAX;
	for (size_t i = 0; i < count; i++) {
		if (ranges[i].region != SIZE_MAX && ranges[i].region != last)
			list_add(list, &loaded->regions.items[ranges[i].region]);
		last = ranges[i].region;
	}

	free(ranges);
	if (list->count == 0)
		pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "none of the %zu regions of %s fits",
		             loaded->regions.count, loaded->target->word);

	return list->count > 0;
}

/** The list that is printed: that of the groups, where there are any. */
static int init_shown(struct list *list, const struct map_options *options,
                      const struct groups *grouping, struct pm_error *error)
{
	const struct list_spec *spec = grouping ? groups_columns_spec(grouping)
	                                        : &region_columns_spec;
	return list_init(list, spec, &options->list, options->output.bytes, error);
}

/** What must be read. */
static unsigned needs_of(const struct map_options *options, const struct list *shown)
{
	unsigned needs = selection_needs(&options->selection) |
	                 (options->why ? REGION_NEEDS_KINDS : 0);
	if (options->pmap)
		return needs | REGION_NEEDS_SMAPS;
	if (!options->output.json)
		return needs | list_needs(shown);
	return needs |
	       (options->by ? REGION_NEEDS_SMAPS | REGION_NEEDS_KINDS : json_list_needs(shown));
}

static void tell_cost(const struct loaded *loaded, const struct map_options *options,
                      unsigned needs)
{
	if (options->output.quiet)
		return;

	if (options->output.verbose) {
		const char *read = loaded->source == PM_SMAPS ? "smaps"
		                   : loaded->from_pagemap     ? "maps and pagemap"
		                                              : "maps";
		report_note("%zu regions from %s in %.1f ms, their kinds in %.1f ms",
		            loaded->regions.count, read, (double)loaded->read_us / 1000,
		            (double)loaded->kinds_us / 1000);
	}

	if (loaded->core)
		report_note(MAP_HELD " is what the core file holds; it does not tell what was "
		                     "resident, shared or dirty, nor the threads' names");
	else if (!loaded->target->process && !loaded->recorded.word && (needs & REGION_NEEDS_KINDS))
		report_note("a file cannot tell malloc's regions, its arenas and whose stack is "
		            "whose; only a living process can");

	if (loaded->reader_failure.kind != PM_ERROR_NONE)
		report_note("malloc's regions are not told from other anonymous ones: %s",
		            loaded->reader_failure.text);
}

/** Whether the words ask what is at one address. */
static bool asks_for_address(const struct map_options *options, const struct cli_result *words,
                             uint64_t *address)
{
	if (words->count != 2 || pm_parse_address(words->operands[1], address, NULL) < 0)
		return false;
	return !options->by && !options->pmap && !options->list.csv && !options->list.columns;
}

/** Whether nothing but RSS and swap is known: a recording that watch made. */
static bool has_two_sizes(const struct loaded *loaded)
{
	return loaded->recorded.word && loaded->regions.count > 0 &&
	       !pm_region_knows(&loaded->regions.items[0], PM_SIZE_PSS);
}

/** How regions are listed, by what is known of them. */
static const struct list_spec *sort_of_list(const struct loaded *loaded)
{
	if (!loaded->sizes_known)
		return &region_columns_maps_only;
	return has_two_sizes(loaded) ? &region_columns_recorded : &region_columns_spec;
}

/**
 * Prints what was read.
 * @return 1: done; 0: no region fits, `error` says so; -1: an error
 */
static int print(const struct loaded *loaded, const struct map_options *options,
                 const struct cli_result *words, struct groups *grouping, struct out *out,
                 struct pm_error *error)
{
	static const struct list_options usual = { 0 };
	const struct list_options *list_options = grouping ? &usual : &options->list;
	struct list list;
	uint64_t address;

	if (grouping && has_two_sizes(loaded))
		groups_know_two_sizes(grouping);
	if (list_init(&list, sort_of_list(loaded), list_options, options->output.bytes, error) < 0)
		return -1;

	int chosen = choose_regions(loaded, options, &list, error), printed = 0;
	if (chosen > 0 && asks_for_address(options, words, &address))
		printed = map_at_print(loaded, address, options, out, error);
	else if (chosen > 0)
		printed = map_print(loaded, &list, grouping, options, out, error);

	list_deinit(&list);
	return printed < 0 ? -1 : chosen;
}

/**
 * Refuses what needs sizes that are not known. The usual order falls back to what is known; one
 * that was asked for does not.
 */
static int check_known(const struct loaded *loaded, const struct map_options *options,
                       const struct list *shown, struct pm_error *error)
{
	unsigned unknown = loaded->sizes_known ? 0 : REGION_NEEDS_RSS | REGION_NEEDS_SMAPS;
	if (has_two_sizes(loaded))
		unknown = REGION_NEEDS_SMAPS;
	if (options->pmap && has_two_sizes(loaded))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "--pmap: a recording by watch does not tell what is dirty, one "
		                    "by snap does");
	if (!options->list.sort || !(shown->sort->needs & unknown))
		return 0;

	const char *why = has_two_sizes(loaded)
	                          ? "a recording by watch does not say it, one by snap"
	                          : "maps does not say it, smaps";
	return pm_error_set(error, PM_ERROR_USAGE, 0, "--sort: %s is not known: %s does",
	                    shown->sort->name, why);
}

/**
 * Reads the target and prints.
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
	/* The kinds are surest with smaps, and of one address more is wanted than of a thousand
	 * regions. */
	if (asks_for_address(options, words, &address))
		needs |= REGION_NEEDS_SMAPS | REGION_NEEDS_KINDS;

	if (regions_load(&loaded, target, needs, error) < 0)
		return -1;

	tell_cost(&loaded, options, needs);
	int status = check_known(&loaded, options, &shown, error);
	if (status == 0)
		status = print(&loaded, options, words, grouping, out, error);
	regions_load_deinit(&loaded);

	return status;
}

/** A number that is no address here may be meant as another PID. */
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
			"map takes one process, and %s was read as a hexadecimal address: ", word);
		return;
	}
}

/**
 * Does what the parsed command line says.
 * @return exit status
 */
static enum status run(struct map_options *options, const struct cli_result *words,
                       struct groups *grouping, struct out *out)
{
	struct pm_error error;
	struct target target;
	if (selection_add_words(&options->selection, words->operands + 1, words->count - 1,
	                        &error) < 0 ||
	    target_open(&target, words->operands[0], &error) < 0)
		return report_failure(&error);

	int status = show(&target, options, words, grouping, out, &error);
	target_close(&target);
	if (status == 0)
		hint_at_processes(words, &error);
	if (status > 0)
		return STATUS_OK;

	report_failure(&error);
	return status == 0 ? STATUS_NOTHING : STATUS_ERROR;
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
	/* The table tells it below each region. */
	if (options.why && options.output.json && !options.list.columns)
		options.list.columns = "+why";

	struct groups *grouping = options.by ? groups_create(options.by) : NULL;
	enum status status = STATUS_OK;
	if (options_want_help(&options.list))
		list_print_columns(grouping ? groups_columns_spec(grouping) : &region_columns_spec,
		                   out);
	else if (cli_check_operands(&map_spec, &words))
		status = run(&options, &words, grouping, out);
	else
		status = words.status;

	groups_destroy(grouping);
	selection_deinit(&options.selection);

	return status;
}
