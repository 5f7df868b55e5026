/* SPDX-License-Identifier: MIT */
#include "target/malloc_graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/headroom.h>
#include <procmem/target_reader.h>

#include "base/delta.h"
#include "base/minmax.h"
#include "base/report.h"
#include "base/text.h"
#include "target/json_parts.h"
#include "target/malloc_heap.h"
#include "target/stop_limit.h"
#include "target/target_hint.h"

/* Maximum number of stops, and bytes of memory that are needed for each chunk. */
enum { STOPS_MAX = 4, CHUNK_BYTES = 60 };

/* From this number of threads on, the stop takes much longer if the CPUs are busy: each thread has
 * to run before it stops. */
enum { THREADS_MANY = 60 };

/**
 * Returns the number of bytes that procmem may use: half of what the machine and the cgroup of
 * procmem have left; 0 if this is not known.
 */
static uint64_t memory_max(void)
{
	struct pm_process *self;
	struct pm_headroom headroom;
	uint64_t left = 0;

	if (pm_process_open(NULL, getpid(), &self, NULL) < 0)
		return 0;

	if (pm_headroom_read_memory(self, NULL, &headroom, NULL) == 0) {
		const struct pm_limit *limit = pm_headroom_memory(&headroom);
		if (limit)
			left = pm_max(pm_limit_left(limit) / 2, 1);
	}

	pm_process_close(self);
	return left;
}

static int refuse_self(const struct malloc_graph *graph, struct pm_error *error)
{
	if (pm_process_pid(graph->target.process) != getpid())
		return 0;

	return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
	                    "process %d is this procmem itself; use another procmem to read it",
	                    (int)getpid());
}

/** Opens the process or the core file. */
static int open_target(struct malloc_graph *graph, const char *word, struct pm_error *error)
{
	if (target_open(&graph->target, word, error) < 0)
		return -1;
	if (graph->target.process)
		return refuse_self(graph, error);
	if (pm_core_is_one(graph->target.path))
		return pm_core_open(graph->target.path, &graph->core, error);

	return target_hint_no_memory(word, error);
}

static void announce(const struct malloc_graph *graph, const struct malloc_graph_options *options)
{
	const struct pm_copy_info *info = pm_copy_info(graph->copy);
	const double second = 1e9, millisecond = 1e6;
	struct text line = { 0 };
	double ns = (double)info->predicted_ns;

	/* A further stop takes about as long as the first one. */
	if (options->quiet || !graph->target.process || graph->stopped_ns > 0)
		return;

	text_format(&line, "stopping process %d for about ",
	            (int)pm_process_pid(graph->target.process));
	if (ns < second / 10)
		text_format(&line, "%.0f ms", ns / millisecond);
	else
		text_format(&line, "%.1f s", ns / second);
	if (info->threads >= THREADS_MANY)
		text_string(&line, ", or longer if the CPUs are busy");
	text_string(&line, ", to copy ");
	text_size(&line, info->planned);
	report_note("%s", text_terminate(&line));
	text_deinit(&line);
}

/** Refuses a stop that would take longer than is allowed, or announces it. */
static int prepare_stop(const struct malloc_graph *graph,
                        const struct malloc_graph_options *options, struct pm_error *error)
{
	if (stop_limit_check_prediction(pm_process_pid(graph->target.process),
	                                pm_copy_info(graph->copy)->predicted_ns,
	                                options->stop_max_ns, error) < 0)
		return -1;

	announce(graph, options);
	return 0;
}

/** Copies the memory. A stop that the session holds is used. */
static int take_copy(struct malloc_graph *graph, const struct malloc_graph_options *options,
                     struct pm_error *error)
{
	struct pm_copy_options limits = { .memory_max = graph->memory_max,
		                          .chunk_bytes = CHUNK_BYTES,
		                          .stop_max_ns = options->stop_max_ns,
		                          .cancel = options->cancel };

	if (graph->core) {
		if (pm_copy_open_core(graph->core, &limits, &graph->copy, error) < 0)
			return -1;
		return pm_copy_take(graph->copy, error);
	}

	struct pm_process *process = graph->target.process;
	bool held = stopping_holds(process);
	if (held && stopping_begin(process, options->cancel, &limits.stop, error) < 0)
		return -1;

	int result = pm_copy_open(process, &limits, &graph->copy, error);
	if (result == 0) {
		if (!held)
			result = prepare_stop(graph, options, error);
		if (result == 0)
			result = pm_copy_take(graph->copy, error);
		const struct pm_copy_info *info = pm_copy_info(graph->copy);
		graph->stopped_ns += info->stopped_ns;
		if (info->ended)
			stop_limit_set_ended(info->stopped_ns, options->stop_max_ns, error);
	}

	stopping_end(limits.stop);
	return result;
}

/** Opens the heap in the copy. */
static int open_heap(struct malloc_graph *graph, const struct malloc_graph_options *options,
                     struct pm_error *error)
{
	graph->reader = pm_copy_reader(graph->copy);
	graph->pages = pm_copy_source(graph->copy);
	graph->source = (struct pm_heap_source){
		.regions = pm_copy_regions(graph->copy),
		.reader = &graph->reader,
		.pages = &graph->pages,
		.stopped = true,
		.linked = graph->linked,
		.cancel = options->cancel,
	};

	if (pm_heap_open(&graph->source, &graph->heap, error) < 0)
		return -1;
	return malloc_heap_check(graph->heap, graph->core, graph->target.word, error);
}

/** Returns whether another stop is allowed: it takes about as long as the last one. */
static bool may_stop_again(const struct malloc_graph *graph,
                           const struct malloc_graph_options *options)
{
	uint64_t next_ns = pm_copy_info(graph->copy)->stopped_ns;

	if (graph->core || stopping_holds(graph->target.process))
		return false;

	return options->stop_max_ns == 0 || graph->stopped_ns + next_ns <= options->stop_max_ns;
}

/**
 * Copies the memory until the heap is valid. If the same place is not valid in two copies, and all
 * threads have run in between, another copy does not help.
 */
static int copy_and_walk(struct malloc_graph *graph, const struct malloc_graph_options *options,
                         struct pm_error *error)
{
	uint64_t last = 0;
	bool has_run = true;

	for (int stop = 1;; stop++) {
		if (take_copy(graph, options, error) < 0 || open_heap(graph, options, error) < 0)
			return -1;
		if (graph->heap->complete || stop == STOPS_MAX || !may_stop_again(graph, options))
			return 0;

		uint64_t broken = 0;
		if (graph->heap->break_count > 0)
			broken = graph->heap->breaks[0].address;
		if (stop > 1 && has_run && broken == last)
			return 0;
		last = broken;

		/* A thread that has not run may still be inside malloc, where it was. */
		has_run = pm_stop_await_run(graph->target.process, options->cancel);
		pm_heap_close(graph->heap);
		pm_copy_close(graph->copy);
		graph->heap = NULL;
		graph->copy = NULL;
	}
}

/** Reads from the copy and, from the first byte on that is not in the copy, from the process. */
static int read_both(void *context, const struct pm_range *ranges, size_t count, void *buffer,
                     size_t *done, struct pm_error *error)
{
	struct malloc_graph *graph = context;
	char *to = buffer;

	*done = 0;
	for (size_t i = 0; i < count; i++) {
		size_t size = (size_t)pm_range_size(ranges[i]), copied = 0, live = 0;

		if (pm_reader_read(&graph->reader, ranges[i].start, to, size, &copied, error) < 0)
			return -1;
		/* The process may have ended since the copy. */
		if (copied < size && graph->live.ops &&
		    pm_reader_read(&graph->live, ranges[i].start + copied, to + copied,
		                   size - copied, &live, error) < 0)
			live = 0;

		*done += copied + live;
		if (copied + live < size)
			return 0;
		to += size;
	}

	return 0;
}

static void close_both(void *context)
{
	(void)context;
}

/** Counts the runs that are passed to a visitor. */
struct counted {
	pm_page_visitor *visit;
	void *visitor;
	size_t runs;
};

static int count_run(void *context, const struct pm_page_run *run)
{
	struct counted *counted = context;
	counted->runs++;
	return counted->visit(counted->visitor, run);
}

/** Reports the pages of the copy or, if there are none in a range, those of the process. */
static int walk_both(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit,
                     void *visitor, struct pm_error *error)
{
	struct malloc_graph *graph = context;
	struct counted counted = { .visit = visit, .visitor = visitor };

	int result = graph->pages.walk(graph->pages.context, start, end, count_run, &counted,
	                               error);
	if (result != 0 || counted.runs > 0 || !graph->pagemap)
		return result;

	result = graph->live_pages.walk(graph->live_pages.context, start, end, visit, visitor,
	                                error);
	return pm_max_int(result, 0);
}

/** Opens what is needed to find out what chunks contain. */
static int open_contents(struct malloc_graph *graph, const struct malloc_graph_options *options,
                         struct pm_error *error)
{
	static const struct pm_reader_ops ops = { .read = read_both, .close = close_both };
	struct pm_process *process = graph->target.process;
	const struct pm_regions *regions = pm_copy_regions(graph->copy);
	const struct chunk_contents_target target = { .process = process,
		                                      .core = graph->core,
		                                      .memory = &graph->both_source,
		                                      .heap = graph->heap };

	graph->both = (struct pm_reader){ .ops = &ops, .context = graph };
	graph->both_pages = (struct pm_page_source){ .walk = walk_both,
		                                     .context = graph,
		                                     .untouched = PM_SEGMENT_HOLE };
	graph->both_source = graph->source;
	graph->both_source.reader = &graph->both;
	graph->both_source.pages = &graph->both_pages;
	graph->both_source.cancel = options->cancel;

	if (graph->core) {
		graph->live = pm_core_reader(graph->core);
		graph->both_source.pages = NULL;
	} else if (pm_target_reader_open(process, regions, &graph->live, error) < 0 ||
	           pm_pagemap_open(process, PM_PAGEMAP_BEST, &graph->pagemap, error) < 0) {
		return -1;
	}

	if (graph->pagemap)
		graph->live_pages = pm_pagemap_source(graph->pagemap);
	return chunk_contents_open(&graph->contents, &target, error);
}

int malloc_graph_open(struct malloc_graph *graph, const char *word,
                      const struct malloc_graph_options *options, struct pm_error *error)
{
	struct pm_graph_options limits = { .cancel = options->cancel };

	graph->memory_max = memory_max();
	graph->stop_max_ns = options->stop_max_ns;
	if (open_target(graph, word, error) < 0)
		return -1;
	if (graph->target.process) {
		graph->others = stopping_find_others(graph->target.process);
		graph->linked = pm_heap_find_linked(graph->target.process);
	}

	if (copy_and_walk(graph, options, error) < 0 || open_contents(graph, options, error) < 0)
		return -1;

	/* The copy and the graph share the memory that may be used. */
	uint64_t copied = pm_copy_info(graph->copy)->copied, max = graph->memory_max;
	if (max > 0)
		limits.memory_max = max - pm_min(copied, max - 1);

	return pm_graph_open(graph->copy, graph->heap, graph->contents.symbols, &limits,
	                     &graph->graph, error);
}

void malloc_graph_close(struct malloc_graph *graph)
{
	pm_graph_close(graph->graph);
	chunk_contents_close(&graph->contents);
	pm_reader_close(&graph->live);
	pm_pagemap_close(graph->pagemap);
	pm_heap_close(graph->heap);
	pm_copy_close(graph->copy);
	pm_core_close(graph->core);
	target_close(&graph->target);
	*graph = (struct malloc_graph){ 0 };
}

/** Reports what was searched. */
static void report_search(const struct malloc_graph *graph)
{
	struct text copied = { 0 }, searched = { 0 };
	size_t roots;

	pm_graph_roots(graph->graph, &roots);
	text_size(&copied, pm_copy_info(graph->copy)->copied);
	text_size(&searched, pm_graph_root_bytes(graph->graph));
	report_note("%s copied; %u chunks; %zu roots in %s outside of malloc",
	            text_terminate(&copied), graph->heap->chunk_count, roots,
	            text_terminate(&searched));
	text_deinit(&copied);
	text_deinit(&searched);
}

/** Reports what a core file lacks. */
static void report_missing(const struct malloc_graph *graph)
{
	uint64_t missing = pm_copy_info(graph->copy)->missing;
	struct text size = { 0 };

	if (graph->core && pm_core_info(graph->core)->truncated)
		memory_report_truncated(graph->core, graph->target.word);

	text_size(&size, missing);
	if (missing > 0)
		report_note("the core file lacks %s of writable memory: pages that were not used, "
		            "memory that was left out when the file was written, or the end of a "
		            "truncated file; pointers there are not known",
		            text_terminate(&size));
	text_deinit(&size);
}

/** Reports that chunks are missing. */
static void report_incomplete(const struct pm_heap *heap)
{
	struct text places = { 0 };

	if (heap->breaks_total > 0)
		text_format(&places, " in %" PRIu64 " place%s", heap->breaks_total,
		            text_plural(heap->breaks_total));
	report_note("the heap is not valid%s: a thread was inside malloc, or the heap is damaged; "
	            "which chunks are in use there is not known, and the figures are approximate",
	            text_terminate(&places));
	text_deinit(&places);
}

/** Reports shared memory that was not read. */
static void report_untouched(uint64_t untouched)
{
	struct text size = { 0 };

	text_size(&size, untouched);
	if (untouched > 0)
		report_note("%s of shared mappings were not read, because the process has not "
		            "touched them; pointers there are not known",
		            text_terminate(&size));
	text_deinit(&size);
}

void malloc_graph_report(const struct malloc_graph *graph, bool verbose)
{
	const struct pm_copy_info *info = pm_copy_info(graph->copy);
	struct text size = { 0 };

	if (graph->stopped_ns > 0)
		stopping_report(graph->stopped_ns, (size_t)info->threads);
	stopping_report_excess(graph->stopped_ns, graph->stop_max_ns);
	stopping_report_others(&graph->others);

	if (malloc_heap_lacks_only_mapped(graph->heap))
		malloc_heap_report_lacking(graph->heap);
	else if (!graph->heap->complete)
		report_incomplete(graph->heap);
	malloc_heap_report_other(graph->heap, false);

	malloc_heap_report_uncertain(graph->heap, "count as held");

	text_size(&size, info->unreadable);
	if (info->unreadable > 0)
		report_note("%s could not be read; pointers there are not known",
		            text_terminate(&size));
	text_deinit(&size);
	report_untouched(info->untouched);
	if (info->unread_threads > 0)
		report_note("not all registers of %" PRIu64 " of %" PRIu64
		            " threads were read; pointers there are not known",
		            info->unread_threads, info->threads);

	if (verbose)
		report_search(graph);
	report_missing(graph);
}

void malloc_graph_put_process(const struct malloc_graph *graph, struct json *json)
{
	struct pm_process_info info = { 0 };
	char *command = NULL;

	if (graph->core) {
		const struct pm_core_info *saved = pm_core_info(graph->core);
		json_parts_process(json, saved->pid, saved->comm, saved->command);
		return;
	}

	info.pid = pm_process_pid(graph->target.process);
	pm_process_read_info(graph->target.process, &info, NULL);
	pm_process_read_command(graph->target.process, &command, NULL);
	json_parts_process(json, info.pid, info.comm, command);
	free(command);
}

int malloc_graph_parse_stop(const char *value, uint64_t *ns, struct pm_error *error)
{
	double seconds = 0;

	if (strcmp(value, "0") != 0 && delta_parse_duration(value, &seconds, error) < 0)
		return -1;

	*ns = (uint64_t)(seconds * 1e9);
	return 0;
}
