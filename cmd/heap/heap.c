/* SPDX-License-Identifier: MIT */
#include "heap/heap.h"

#include <procmem/census.h>
#include <procmem/number.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/report.h"
#include "heap/at.h"
#include "heap/chunks.h"
#include "heap/classes.h"
#include "heap/growth.h"
#include "heap/json.h"
#include "heap/print.h"
#include "heap/python.h"
#include "heap/retained.h"
#include "heap/tree.h"
#include "target/malloc_graph.h"
#include "target/malloc_heap.h"
#include "view/list_print.h"

const struct cli_spec heap_spec = {
	.command = "heap",
	.operands = "TARGET [ADDRESS]",
	.purpose = "Shows what is inside malloc: whether the heap is fragmented, its arenas, and\n"
		   "its chunks by size and content. With ADDRESS, shows the chunk there.",
	.groups = heap_options_groups,
	.exclusive = heap_options_exclusive,
	.notes = "TARGET is a PID, a process name that matches one process, or an ELF core file.\n"
	         "malloc of glibc 2.26 to 2.44 and jemalloc 5 are recognised without symbols. The\n"
	         "process is not stopped. If its heap changes while procmem reads it, figures are\n"
	         "approximate, too low or too high (exact: --stop).",
	.examples = {
		{ "procmem heap shop", "is the heap of the process called shop fragmented?" },
		{ "procmem heap --list --size 96 --text session 4711",
		  "the chunks of 96 bytes that contain a word" },
	},
	.operands_min = 1,
	.operands_max = 2,
};

/**
 * Prints the chunk at an address.
 * @return exit status
 */
static enum status show_chunk(struct heap_report *report, uint64_t address, struct out *out)
{
	struct pm_error error;
	int found = heap_at_print(report, address, out, &error);

	if (found < 0)
		return report_failure(&error);
	if (found > 0)
		return STATUS_OK;

	report_failure(&error);
	return STATUS_NOTHING;
}

/**
 * Prints the selected chunks.
 * @return exit status
 */
static enum status show_chunks(struct heap_report *report, struct out *out)
{
	struct pm_error error;
	uint64_t count;

	if (heap_chunks_print(report, out, &count, &error) < 0)
		return report_failure(&error);
	/* The note comes after the titles of the table. */
	out_flush(out);
	if (count == 0 && !report->options->output.quiet)
		report_note("no chunk matches");
	if (count == 0)
		return STATUS_NOTHING;

	return report->heap->complete ? STATUS_OK : STATUS_NOTHING;
}

static int print_json(const struct heap_report *report, const struct list *list, struct out *out,
                      struct pm_error *error)
{
	struct json json = { .out = out };

	heap_json_open(&json, report);
	heap_json_put_arenas(&json, report);
	if (json_put_list(&json, "classes", list, error) < 0)
		return -1;

	heap_python_put_json(&json, report->python);
	json_shut(&json, '}');
	out_string(out, "\n");
	return 0;
}

/** Prints the arenas and the classes as text. */
static void print_text(const struct heap_report *report, struct heap_classes *classes,
                       struct out *out)
{
	const struct heap_options *options = report->options;
	bool bare = options->list.csv || options->list.no_header;

	if (!bare)
		classes->list.lines_above = heap_print(report, out) +
		                            heap_python_lines(report->python, options);
	if (classes->list.count > 0 || bare)
		list_print(&classes->list, out);
	else
		out_string(out, "no chunk matches\n");
	if (!bare)
		heap_python_print(report->python, options, out);

	out_flush(out);
	if (!bare && !options->output.quiet)
		heap_classes_report_similar(classes);
}

/** Prints the arenas and the classes. */
static int print(const struct heap_report *report, struct out *out, struct pm_error *error)
{
	const struct heap_options *options = report->options;
	struct heap_classes classes;
	int result = heap_classes_init(&classes, report, error);

	if (result == 0 && options->output.json) {
		result = print_json(report, &classes.list, out, error);
	} else if (result == 0) {
		print_text(report, &classes, out);
	}

	heap_classes_deinit(&classes);
	return result;
}

/**
 * Counts the chunks, and prints the arenas and the classes.
 * @return exit status
 */
static enum status show_heap(struct heap_report *report, struct out *out)
{
	struct pm_error error;

	if (heap_report_count(report, &error) < 0)
		return report_failure(&error);
	if (!heap_options_select(report->options) &&
	    heap_python_read(report, &report->python, &error) < 0)
		return report_failure(&error);
	memory_resume(&report->memory);
	if (heap_report_find_threads(report, &error) < 0 || print(report, out, &error) < 0)
		return report_failure(&error);

	uint64_t bound = pm_census_bound(report->census);
	if (bound > 0 && !report->options->output.quiet) {
		struct text size = { 0 };
		text_size(&size, bound);
		report_note("there are too many classes: some classes of at most %s are not shown",
		            text_terminate(&size));
		text_deinit(&size);
	}

	return report->heap->complete ? STATUS_OK : STATUS_NOTHING;
}

/** Reports where the walk broke, its cost, and how long the target was stopped. */
static void report_walk(struct heap_report *report, uint64_t started_us)
{
	const struct memory *memory = &report->memory;

	if (report->options->output.quiet)
		return;

	heap_print_breaks(report);
	malloc_heap_report_other(report->heap, report->options->output.bytes);
	if (report->stopped) {
		stopping_report(heap_report_stopped_ns(report), memory->threads);
		stopping_report_excess(heap_report_stopped_ns(report),
		                       report->options->stop_max_ns);
		stopping_report_others(&memory->others);
	}
	if (report->options->output.verbose)
		report_note("%s; %u chunks read in %.1f ms", report->heap->proof,
		            report->heap->chunk_count, (double)(clock_us() - started_us) / 1000);
}

/**
 * Reads and prints the heap, or the chunk at an address if `address` is not NULL.
 * @return exit status
 */
static enum status run(struct heap_report *report, const char *word, const uint64_t *address,
                       struct out *out)
{
	struct pm_error error;
	uint64_t started_us = clock_us();

	if (heap_report_open(report, word, &error) < 0)
		return report_failure(&error);

	enum status status;
	if (address)
		status = show_chunk(report, *address, out);
	else if (report->options->chunks)
		status = show_chunks(report, out);
	else
		status = show_heap(report, out);

	memory_resume(&report->memory);
	out_flush(out);
	if (status != STATUS_ERROR)
		report_walk(report, started_us);
	return status;
}

/**
 * Prints the growth of the heap, or what its roots hold.
 * @return exit status
 */
static enum status run_special(const struct heap_options *options, const char *word,
                               struct out *out)
{
	struct pm_error error;
	int complete;

	if (options->tree)
		complete = heap_tree_print(word, options, out, &error);
	else if (options->retained)
		complete = heap_retained_print(word, options, out, &error);
	else
		complete = heap_growth_print(word, options, out, &error);

	if (complete < 0)
		return report_failure(&error);

	return complete ? STATUS_OK : STATUS_NOTHING;
}

/** Returns what is wrong with the options for --retained, or NULL. */
static const char *wrong_with_retained(const struct heap_options *options)
{
	const unsigned both = PM_CENSUS_SIZE | PM_CENSUS_TYPE;

	if (heap_options_select(options))
		return "--retained cannot be combined with options that select chunks, because it "
		       "covers all chunks in use; use --list to list the selected chunks, and "
		       "'procmem refs' to show what holds one of them";
	if (options->by && !options->tree)
		return "--retained counts chunks by root: leave out --by, or use it with --tree, "
		       "which counts the chunks of one root";
	if (options->by && options->by != PM_CENSUS_TYPE && options->by != both)
		return "with --tree, chunks are counted by size and type, or with --by type by "
		       "type only; use one of these";

	return NULL;
}

/** Refuses options that cannot be combined with an address or with each other. */
static bool check_options(const struct heap_options *options, bool has_address)
{
	const char *wrong = NULL;

	if (has_address && (options->chunks || options->growth > 0 || options->retained))
		wrong = "--list, --growth and --retained concern the whole heap: leave out the "
			"address; 'procmem refs' shows what holds the chunk there";
	else if (options->tree && !options->retained)
		wrong = "--tree needs --retained: use both";
	else if (options->retained)
		wrong = wrong_with_retained(options);
	else if (has_address && options->list.csv)
		wrong = "--csv prints tables, but with an address there is no table: use --json";
	else if (has_address && (options->by || heap_options_select(options)))
		wrong = "options that select or count chunks cannot be combined with an address: "
			"leave out the address or these options";

	if (wrong)
		report_error("heap: %s", wrong);
	return !wrong;
}

enum status heap_run(struct out *out, int argc, char **argv)
{
	struct heap_options options = { .stop_max_ns = MALLOC_GRAPH_STOP_NS };
	struct heap_report report = { .options = &options };
	struct cli_result words;
	struct pm_error error;
	uint64_t address;

	if (!cli_parse(&heap_spec, out, argc, argv, &options, &words))
		return words.status;
	if (options_want_help(&options.list)) {
		const struct list_spec *spec = &heap_classes_spec;
		if (options.retained)
			spec = options.tree ? &heap_tree_spec : &heap_retained_spec;
		list_print_columns(spec, out);
		return STATUS_OK;
	}
	if (!cli_check_operands(&heap_spec, &words))
		return words.status;

	bool has_address = words.count > 1;
	if (has_address && pm_parse_address(words.operands[1], &address, &error) < 0)
		return report_failure(&error);
	if (!check_options(&options, has_address))
		return STATUS_ERROR;

	out_set_colour(out, options.output.colour);
	if (options.growth > 0 || options.retained)
		return run_special(&options, words.operands[0], out);

	report.has_address = has_address;
	report.memory.cancel = interrupt_catch();
	enum status status = run(&report, words.operands[0], has_address ? &address : NULL, out);
	heap_report_deinit(&report);
	return status;
}
