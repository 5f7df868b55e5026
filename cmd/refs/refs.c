/* SPDX-License-Identifier: MIT */
#include "refs/refs.h"

#include <stddef.h>

#include <procmem/number.h>

#include "base/interrupt.h"
#include "base/report.h"
#include "cli/options.h"
#include "refs/found.h"
#include "refs/print.h"
#include "target/malloc_graph.h"

enum { OPTION_TO = CLI_LONG_ONLY, OPTION_DEPTH, OPTION_MAX_STOP };

/* Number of references that are shown without --all, and that are kept in memory with --all. */
enum { REFS_SHOWN = 20, REFS_KEPT = 1 << 16 };

/* Number of references to a chunk on a further level that are shown without --all. */
enum { REFS_SHOWN_BELOW = 5 };

/** The parsed options of `procmem refs`. */
struct refs_options {
	bool all;
	bool to;
	uint64_t depth; /* number of levels; 1 if not given */
	uint64_t stop_max_ns;
	struct output_options output;
};

static const struct cli_option show_options[] = {
	{ 'a', "all", NULL,
	  "show all references, one per line; otherwise equal\nones are one line, and 20 lines are "
	  "shown" },
	{ OPTION_DEPTH, "depth", "N",
	  "show N levels: also what points to the chunks that\ncontain references, and so on" },
	{ OPTION_TO, "to", NULL, "show what the memory at ADDRESS points to instead" },
	{ 0 },
};

static const struct cli_option copy_options[] = {
	{ OPTION_MAX_STOP, "max-stop", "DURATION",
	  "refuse to stop the process for longer than this\n(default: 1s; 0: any time)" },
	{ 0 },
};

static int parse_depth(const char *value, uint64_t *depth, struct pm_error *error)
{
	if (pm_parse_decimal(value, PM_REFS_DEPTH_MAX, depth, NULL) < 0 || *depth < 1)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "must be from 1 to %d",
		                    PM_REFS_DEPTH_MAX);

	return 0;
}

static int parse_show(void *into, int id, const char *value, struct pm_error *error)
{
	struct refs_options *options = into;

	switch (id) {
	case OPTION_DEPTH:
		return parse_depth(value, &options->depth, error);
	case OPTION_TO:
		options->to = true;
		return 0;
	default:
		options->all = true;
		return 0;
	}
}

static int parse_copy(void *into, int id, const char *value, struct pm_error *error)
{
	(void)id;
	return malloc_graph_parse_stop(value, into, error);
}

static const struct cli_group groups[] = {
	{ "What to show:", show_options, parse_show, 0 },
	{ "How to read:", copy_options, parse_copy, offsetof(struct refs_options, stop_max_ns) },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct refs_options, output) },
	{ 0 },
};

const struct cli_spec refs_spec = {
	.command = "refs",
	.operands = "TARGET ADDRESS",
	.purpose = "Shows who points to a chunk of malloc, a variable or an address: registers,\n"
	           "stacks, variables and chunks; and for a chunk, why it is still reachable:\n"
	           "the path to the nearest root. The process is stopped while its memory is\n"
	           "copied, about 0.5 s for 1 GiB.",
	.groups = groups,
	.notes = "TARGET is a PID, a process name that matches one process, or an ELF core\n"
	         "file. ADDRESS may be anywhere in the chunk or variable. A stale pointer\n"
	         "counts as much as one that is used. The exit status is 1 if nothing was found.",
	.examples = {
		{ "procmem refs shop 55abf250cf80", "who points to it, and why is it alive?" },
		{ "procmem refs --to 4711 55abf250cf80", "what does the chunk point to?" },
	},
	.operands_min = 2,
	.operands_max = 2,
};

/**
 * Searches in the graph, and prints the result.
 * @return exit status
 */
static enum status search(struct malloc_graph *graph, uint64_t address,
                          const struct refs_options *options, struct out *out)
{
	const struct refs_style style = { .bytes = options->output.bytes };
	bool all = options->all || options->output.json;
	struct refs_found found = { .graph = graph,
		                    .address = address,
		                    .max = all ? REFS_KEPT : REFS_SHOWN,
		                    .to = options->to,
		                    .all = all,
		                    .grouped = !all && !options->to,
		                    .depth = (unsigned)options->depth };
	struct pm_refs_tree_options levels = {
		.to = options->to,
		.depth = found.depth,
		.width_first = REFS_SHOWN,
		.width = REFS_SHOWN_BELOW,
	};
	struct pm_error error;

	if (all)
		levels.width_first = levels.width = UINT64_MAX;
	int result = refs_found_place(&found, &error);
	if (result == 0 && found.depth > 1)
		result = refs_found_tree(&found, &levels, &error);
	else if (result == 0 && options->to)
		result = refs_found_pointers(&found, &error);
	else if (result == 0)
		result = refs_found_referrers(&found, &error);

	if (result == 0 && options->output.json)
		result = refs_print_json(&found, out, &error);
	else if (result == 0)
		result = refs_print_text(&found, &style, out, &error);

	if (result == 0 && found.tree.cut && !options->output.quiet)
		report_note("there are more than %d references: further ones are not shown",
		            PM_REFS_NODES_MAX);
	enum status status = found.total > 0 ? STATUS_OK : STATUS_NOTHING;
	refs_found_deinit(&found);
	return result < 0 ? report_failure(&error) : status;
}

enum status refs_run(struct out *out, int argc, char **argv)
{
	struct refs_options options = { .depth = 1, .stop_max_ns = MALLOC_GRAPH_STOP_NS };
	struct malloc_graph graph = { 0 };
	struct cli_result words;
	struct pm_error error;
	uint64_t address;

	if (!cli_parse(&refs_spec, out, argc, argv, &options, &words) ||
	    !cli_check_operands(&refs_spec, &words))
		return words.status;
	if (pm_parse_address(words.operands[1], &address, &error) < 0)
		return report_failure(&error);

	const struct malloc_graph_options copy = { .stop_max_ns = options.stop_max_ns,
		                                   .quiet = options.output.quiet,
		                                   .cancel = interrupt_catch() };
	enum status status = STATUS_ERROR;

	out_set_colour(out, options.output.colour);
	if (malloc_graph_open(&graph, words.operands[0], &copy, &error) < 0)
		report_failure(&error);
	else
		status = search(&graph, address, &options, out);

	out_flush(out);
	if (status != STATUS_ERROR && !options.output.quiet)
		malloc_graph_report(&graph, options.output.verbose);
	malloc_graph_close(&graph);

	return status;
}
