/* SPDX-License-Identifier: MIT */
#include "why/deep.h"

#include <stdio.h>

#include <procmem/refs.h>
#include <procmem/retained.h>

#include "base/interrupt.h"
#include "target/malloc_graph.h"
#include "target/root_text.h"
#include "why/observe.h"

/* malloc's header before a chunk that is mapped separately, in bytes (64-bit glibc). */
static const uint64_t mapped_header = 16;

/** Returns an address in a chunk that a finding is about; 0 if it is about something else. */
static uint64_t address_of(const struct pm_finding *finding)
{
	if (finding->chunks)
		return finding->chunks->example;
	if (finding->region && finding->region->kind == PM_KIND_MALLOC)
		return finding->region->start + mapped_header;
	return 0;
}

/** Adds the root of a path, and how far away it is. */
static void put_root(struct pm_graph *graph, const struct pm_path *path, struct text *text)
{
	size_t count;
	const struct pm_root *roots = pm_graph_roots(graph, &count);
	const struct pm_ref *last = &path->steps[path->count - 1].ref;

	if (last->root >= count)
		return;
	root_text(&roots[last->root], last->offset, text);
	if (path->length > 1) {
		text_string(text, ", over ");
		text_grouped(text, path->length);
		text_string(text, " references");
	}
}

/** Finds out how much a root holds. Without memory for this, it is not known. */
static int measure_root(struct why_deep *deep, struct pm_graph *graph, uint32_t root,
                        struct pm_error *error)
{
	struct pm_retained retained = { 0 };
	struct pm_error why;

	if (pm_retained_find(graph, &retained, &why) < 0) {
		if (why.kind != PM_ERROR_CANCELLED)
			return 0;
		*error = why;
		return -1;
	}

	for (size_t i = 0; i < retained.root_count; i++) {
		if (retained.roots[i].root != root)
			continue;
		deep->held = retained.roots[i].held;
		deep->held_count = retained.roots[i].chunks;
	}
	pm_retained_deinit(&retained);
	return 0;
}

/** Finds what holds a chunk. */
static int find_holder(struct why_deep *deep, struct malloc_graph *graph, uint64_t address,
                       struct pm_error *error)
{
	struct pm_path path = { 0 };
	struct pm_chunk chunk;

	if (!pm_heap_find(graph->heap, address, &chunk) || chunk.state != PM_CHUNK_IN_USE)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
		                    "the chunk that was chosen has been freed");

	int found = pm_refs_path(graph->graph, address, &path, error);
	if (found < 0)
		return -1;
	if (found == 0) {
		text_string(&deep->holder, "nothing that was found: the chunks are possibly lost");
		return 0;
	}
	put_root(graph->graph, &path, &deep->holder);
	int result = measure_root(deep, graph->graph, path.steps[path.count - 1].ref.root, error);
	pm_path_deinit(&path);
	return result;
}

/** Copies the memory, and searches it. */
static int search(struct why_observation *observation, uint64_t address, struct pm_error *error)
{
	const struct why_options *options = observation->options;
	const struct malloc_graph_options copy = { .stop_max_ns = options->stop_max_ns,
		                                   .quiet = options->output.quiet,
		                                   .cancel = interrupt_catch() };
	struct malloc_graph graph = { 0 };
	char word[24];

	snprintf(word, sizeof word, "%d", (int)observation->info.pid);
	int result = malloc_graph_open(&graph, word, &copy, error);
	/* The PID is still that of the process that was observed. */
	if (result == 0)
		result = pm_process_check(observation->process, error);
	if (result == 0)
		result = find_holder(&observation->deep, &graph, address, error);
	observation->deep.stopped_ns = graph.stopped_ns;
	if (result == 0 && !options->output.quiet)
		malloc_graph_report(&graph, options->output.verbose);
	malloc_graph_close(&graph);
	return result;
}

static void add_fact(struct pm_finding *finding, struct pm_finding_fact fact)
{
	if (finding->fact_count < PM_FINDING_FACTS_MAX)
		finding->facts[finding->fact_count++] = fact;
}

/** Finds the code of a finding that grows. */
static void find_code(struct why_observation *observation, struct pm_finding *finding)
{
	struct why_deep_trace *trace = &observation->deep.trace;
	bool grows = finding->rate > 0 || finding->count_rate > 0;

	if (!grows || finding->pid != observation->info.pid) {
		pm_error_set(&trace->failure, PM_ERROR_NOT_FOUND, 0,
		             "nothing in the process grows");
		return;
	}
	why_deep_trace_find(trace, observation->process, finding,
	                    observation->options->output.quiet);
	if (trace->site)
		add_fact(finding, (struct pm_finding_fact){ .id = PM_FACT_CODE,
		                                            .text = trace->code.bytes,
		                                            .bytes = trace->site->resident,
		                                            .count = trace->site->before,
		                                            .rate = trace->seconds });
}

/** Finds who holds a chunk of a finding. */
static void find_holder_of(struct why_observation *observation, struct pm_finding *finding)
{
	struct why_deep *deep = &observation->deep;

	deep->address = address_of(finding);
	if (deep->address == 0) {
		pm_error_set(&deep->failure, PM_ERROR_NOT_FOUND, 0,
		             "the first finding is not about chunks of malloc");
		return;
	}
	if (deep->trace.failure.kind == PM_ERROR_CANCELLED) {
		deep->failure = deep->trace.failure;
		return;
	}
	if (search(observation, deep->address, &deep->failure) < 0)
		return;

	add_fact(finding, (struct pm_finding_fact){ .id = PM_FACT_HOLDER,
	                                            .address = deep->address,
	                                            .bytes = deep->held,
	                                            .count = deep->held_count,
	                                            .text = text_terminate(&deep->holder) });
}

void why_deep_find(struct why_observation *observation, struct pm_findings *findings)
{
	struct why_deep *deep = &observation->deep;

	if (findings->count == 0 || findings->items[0].harmless) {
		pm_error_set(&deep->failure, PM_ERROR_NOT_FOUND, 0, "nothing was found");
		pm_error_set(&deep->trace.failure, PM_ERROR_NOT_FOUND, 0, "nothing was found");
		return;
	}

	struct pm_finding *finding = &findings->items[0];
	deep->finding = finding;
	/* The trace comes first: the stop delays the process. */
	find_code(observation, finding);
	find_holder_of(observation, finding);
}

void why_deep_deinit(struct why_deep *deep)
{
	why_deep_trace_deinit(&deep->trace);
	text_deinit(&deep->holder);
}
