/* SPDX-License-Identifier: MIT */
#include "leaks/leaks.h"

#include <stddef.h>

#include <procmem/leaks.h>
#include <procmem/number.h>

#include "base/interrupt.h"
#include "base/report.h"
#include "cli/options.h"
#include "leaks/groups.h"
#include "target/malloc_graph.h"
#include "view/list_print.h"

enum { OPTION_DIRECT = CLI_LONG_ONLY, OPTION_MIN_SIZE, OPTION_MAX_STOP };

/** The parsed options of `procmem leaks`. */
struct leaks_options {
	struct leaks_filter filter;
	uint64_t stop_max_ns;
	struct list_options list;
	struct output_options output;
};

static const struct cli_option show_options[] = {
	{ 'a', "all", NULL, "show all groups, not only the largest" },
	{ OPTION_DIRECT, "direct", NULL,
	  "count only chunks to which no other lost chunk\n"
	  "points, and one chunk of each cycle" },
	{ OPTION_MIN_SIZE, "min-size", "SIZE", "show only chunks of at least this size" },
	{ 0 },
};

static const struct cli_option copy_options[] = {
	{ OPTION_MAX_STOP, "max-stop", "DURATION",
	  "refuse to stop the process for longer than this\n(default: 1s; 0: any time)" },
	{ 0 },
};

static int parse_show(void *into, int id, const char *value, struct pm_error *error)
{
	struct leaks_options *options = into;

	switch (id) {
	case OPTION_DIRECT:
		options->filter.direct = true;
		return 0;
	case OPTION_MIN_SIZE:
		return pm_parse_size(value, &options->filter.size_min, error);
	default:
		options->list.all = true;
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
	{ "How to read:", copy_options, parse_copy, offsetof(struct leaks_options, stop_max_ns) },
	{ "Order and format:", options_of_lists, options_parse_list,
	  offsetof(struct leaks_options, list) },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct leaks_options, output) },
	{ 0 },
};

static const char *const exclusive[] = { "csv json", NULL };

const struct cli_spec leaks_spec = {
	.command = "leaks",
	.operands = "TARGET",
	.purpose = "Finds chunks of malloc that the program has lost: no register, stack or\n"
	           "variable, and no reachable chunk, points to them. The process is stopped\n"
	           "while its memory is copied, about 0.5 s for 1 GiB.",
	.groups = groups,
	.exclusive = exclusive,
	.notes = "TARGET is a PID, a process name that matches one process, or an ELF core file.\n"
	         "A lost chunk is not found if a stale pointer to it exists. A chunk that is\n"
	         "not lost is reported if all pointers to it are encoded. The exit status is 1\n"
	         "if lost chunks were found.",
	.examples = {
		{ "procmem leaks shop", "the lost chunks of the process called shop" },
		{ "procmem leaks --direct --max-stop 5s 4711",
		  "only where the losses begin, with a longer stop" },
	},
	.operands_min = 1,
	.operands_max = 1,
};

/** Adds a number of chunks and their size. */
static void put_amount(struct text *line, uint64_t chunks, uint64_t size, bool bytes)
{
	text_grouped(line, chunks);
	text_format(line, " chunk%s, ", text_plural(chunks));
	if (bytes)
		text_decimal(line, size);
	else
		text_size(line, size);
}

/**
 * Returns whether the caches of threads hide lost chunks. Those of jemalloc keep old pointers to
 * chunks, and are searched like the memory of the program.
 */
static bool has_caches(const struct malloc_graph *graph)
{
	return graph->heap->allocator == PM_HEAP_ALLOCATOR_JEMALLOC;
}

/**
 * Returns whether all chunks of the process are known, and all of its memory was searched for
 * pointers.
 */
static bool is_certain(const struct malloc_graph *graph, const struct pm_leaks *leaks)
{
	const struct pm_heap *heap = graph->heap;
	const struct pm_copy_info *info = pm_copy_info(graph->copy);
	const struct stopping_others *others = &graph->others;

	if (has_caches(graph) || !heap->complete || heap->mapped_uncertain ||
	    heap->other != PM_HEAP_ALLOCATOR_UNKNOWN)
		return false;
	if (graph->core || info->unreadable > 0 || info->untouched > 0 ||
	    info->unread_threads > 0 || leaks->below_stacks > 0)
		return false;

	return others->count == 0 && others->unknown.kind == PM_ERROR_NONE;
}

/** Returns the bytes in use, as `heap` counts them: with the bytes before aligned chunks. */
static uint64_t in_use_bytes(const struct malloc_graph *graph, const struct pm_leaks *leaks)
{
	return leaks->in_use_bytes + graph->heap->mapped_lead;
}

/** Prints the sums. */
static void print_header(const struct malloc_graph *graph, const struct pm_leaks *leaks, bool bytes,
                         struct out *out)
{
	struct text line = { 0 };
	const char *about = graph->heap->complete ? "" : "about ";
	const uint64_t in_use = in_use_bytes(graph, leaks);

	if (leaks->chunks == 0 && is_certain(graph, leaks)) {
		text_format(&line, "nothing lost: %s", about);
		put_amount(&line, leaks->in_use_chunks, in_use, bytes);
		text_string(&line, " in use, all reachable\n");
	} else if (leaks->chunks == 0) {
		text_format(&line, "no lost chunk was found: %s", about);
		put_amount(&line, leaks->in_use_chunks, in_use, bytes);
		text_string(&line, " in use\n");
	} else {
		text_format(&line, "possibly lost: %s", about);
		put_amount(&line, leaks->chunks, leaks->bytes, bytes);
		text_string(&line, "   direct: ");
		put_amount(&line, leaks->direct, leaks->direct_bytes, bytes);
		text_string(&line, "   cycles: ");
		text_grouped(&line, leaks->cycles);
		text_string(&line, "   in use: ");
		put_amount(&line, leaks->in_use_chunks, in_use, bytes);
		text_char(&line, '\n');
	}

	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

static int print_json(const struct malloc_graph *graph, const struct pm_leaks *leaks,
                      const struct list *list, struct out *out, struct pm_error *error)
{
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	malloc_graph_put_process(graph, &json);
	json_put(&json, "time", json_now());
	json_put(&json, "complete", json_boolean(graph->heap->complete));
	json_put(&json, "certain", json_boolean(is_certain(graph, leaks)));
	if (graph->stopped_ns > 0)
		json_put(&json, "stopped_us", json_number(graph->stopped_ns / 1000));
	json_put(&json, "copied", json_number(pm_copy_info(graph->copy)->copied));
	json_put(&json, "unreadable", json_number(pm_copy_info(graph->copy)->unreadable));
	json_put(&json, "unread_threads", json_number(pm_copy_info(graph->copy)->unread_threads));
	json_put(&json, "in_use", json_number(in_use_bytes(graph, leaks)));

	json_put(&json, "chunks", json_number(leaks->chunks));
	json_put(&json, "bytes", json_number(leaks->bytes));
	json_put(&json, "direct", json_number(leaks->direct));
	json_put(&json, "direct_bytes", json_number(leaks->direct_bytes));
	json_put(&json, "cycles", json_number(leaks->cycles));
	if (json_put_list(&json, "groups", list, error) < 0)
		return -1;

	json_shut(&json, '}');
	out_string(out, "\n");
	return 0;
}

static int print(const struct malloc_graph *graph, const struct pm_leaks *leaks,
                 const struct leaks_options *options, struct out *out, struct pm_error *error)
{
	struct leaks_groups list;
	struct leaks_filter filter = options->filter;
	bool bare = options->list.csv || options->list.no_header;

	/* JSON is always sorted by bytes. */
	filter.by_total = filter.direct && !options->output.json;
	int result = leaks_groups_init(&list, leaks, &filter, &options->list, options->output.bytes,
	                               error);

	if (result == 0 && options->output.json) {
		result = print_json(graph, leaks, &list.list, out, error);
	} else if (result == 0) {
		if (!bare)
			print_header(graph, leaks, options->output.bytes, out);
		if (!bare && !options->filter.direct)
			leaks_groups_print_structures(leaks, options->output.bytes, out);
		if (list.count > 0 || bare)
			list_print(&list.list, out);
	}

	leaks_groups_deinit(&list);
	return result;
}

/** Reports that some of the lost chunks may be in use by functions that the search does not see. */
static void report_below_stacks(const struct pm_leaks *leaks, bool bytes)
{
	struct text line = { 0 };

	put_amount(&line, leaks->below_stacks, leaks->below_stacks_bytes, bytes);
	report_note("of the lost chunks, %s can be reached from memory below stack pointers: these "
	            "are not lost if a thread has switched to another part of its stack, such as "
	            "an alternate signal stack or the stack of a coroutine",
	            text_terminate(&line));
	text_deinit(&line);
}

/** Reports what the search cannot see. */
static void report(const struct malloc_graph *graph, const struct pm_leaks *leaks,
                   const struct leaks_options *options)
{
	if (options->output.quiet)
		return;

	malloc_graph_report(graph, options->output.verbose);
	if (leaks->cut)
		report_note("there are more groups than can be listed: the last one has the rest");
	if (has_caches(graph))
		report_note("the thread caches of jemalloc point to some hundred chunks of each "
		            "size; a lost chunk among these is not found");
	if (leaks->below_stacks > 0)
		report_below_stacks(leaks, options->output.bytes);
	if (leaks->chunks > 0)
		report_note(
			"not seen: encoded or unaligned pointers, pointers that only the kernel "
			"has, and what is lost inside a chunk, such as in a memory pool");
}

/**
 * Finds and prints the lost chunks.
 * @return exit status
 */
static enum status run(struct malloc_graph *graph, const char *word,
                       const struct leaks_options *options, struct out *out)
{
	const struct malloc_graph_options copy = { .stop_max_ns = options->stop_max_ns,
		                                   .quiet = options->output.quiet,
		                                   .cancel = interrupt_catch() };
	struct pm_error error;
	struct pm_leaks leaks;

	if (malloc_graph_open(graph, word, &copy, &error) < 0 ||
	    pm_leaks_find(graph->graph, graph->contents.types, &leaks, &error) < 0)
		return report_failure(&error);

	int result = print(graph, &leaks, options, out, &error);
	out_flush(out);
	if (result == 0)
		report(graph, &leaks, options);

	enum status status = leaks.chunks > 0 ? STATUS_NOTHING : STATUS_OK;
	pm_leaks_deinit(&leaks);
	return result < 0 ? report_failure(&error) : status;
}

enum status leaks_run(struct out *out, int argc, char **argv)
{
	struct leaks_options options = { .stop_max_ns = MALLOC_GRAPH_STOP_NS };
	struct malloc_graph graph = { 0 };
	struct cli_result words;

	if (!cli_parse(&leaks_spec, out, argc, argv, &options, &words))
		return words.status;
	if (options_want_help(&options.list)) {
		list_print_columns(&leaks_groups_spec, out);
		return STATUS_OK;
	}
	if (!cli_check_operands(&leaks_spec, &words))
		return words.status;

	out_set_colour(out, options.output.colour);
	enum status status = run(&graph, words.operands[0], &options, out);
	malloc_graph_close(&graph);

	return status;
}
