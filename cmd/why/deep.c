/* SPDX-License-Identifier: MIT */
#include "why/deep.h"

#include <stdio.h>

#include <procmem/refs.h>

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
	pm_path_deinit(&path);
	return 0;
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

int why_deep_find(struct why_observation *observation, struct pm_findings *findings,
                  struct pm_error *error)
{
	struct pm_finding *finding = findings->count > 0 ? &findings->items[0] : NULL;
	uint64_t address = finding ? address_of(finding) : 0;
	struct why_deep *deep = &observation->deep;

	if (address == 0) {
		pm_error_set(&deep->failure, PM_ERROR_NOT_FOUND, 0,
		             "the first finding is not about chunks of malloc");
		return 0;
	}
	if (search(observation, address, &deep->failure) < 0) {
		if (deep->failure.kind != PM_ERROR_CANCELLED)
			return 0;
		*error = deep->failure;
		return -1;
	}

	if (finding->fact_count < PM_FINDING_FACTS_MAX)
		finding->facts[finding->fact_count++] = (struct pm_finding_fact){
			.id = PM_FACT_HOLDER,
			.address = address,
			.text = text_terminate(&deep->holder),
		};
	return 0;
}

void why_deep_deinit(struct why_deep *deep)
{
	text_deinit(&deep->holder);
}
