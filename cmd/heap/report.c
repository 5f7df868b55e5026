/* SPDX-License-Identifier: MIT */
#include "heap/report.h"

#include "target/malloc_heap.h"

int heap_report_open(struct heap_report *report, struct pm_error *error)
{
	struct memory *memory = &report->memory;

	report->stopped = memory->stop != NULL;
	report->source = malloc_heap_source(memory);
	if (pm_chunk_filter_create(&report->options->filter, &report->filter, error) < 0 ||
	    pm_heap_open(&report->source, &report->heap, error) < 0 ||
	    malloc_heap_check(report->heap, memory->target.word, error) < 0)
		return -1;

	const struct chunk_contents_target target = {
		.process = memory->target.process,
		.core = memory->core,
		.memory = &report->source,
		.heap = report->heap,
	};

	return chunk_contents_open(&report->contents, &target, error);
}

/** Reads what the sampled pins contain. */
static int read_pins(struct heap_report *report, struct pm_error *error)
{
	const struct heap_pins *pins = &report->verdict.pins;
	const struct pm_census_options options = { .keys = PM_CENSUS_SIZE,
		                                   .types = report->contents.types,
		                                   .budget = PM_CENSUS_BUDGET_MIN };

	if (pins->count == 0)
		return 0;
	if (pm_census_create(&options, &report->pins, error) < 0)
		return -1;

	for (size_t i = 0; i < pins->sample_count; i++) {
		struct pm_chunk chunk;
		struct chunk_content content;

		pm_heap_chunk(report->heap, pins->samples[i], &chunk);
		/* A cached chunk pins memory, too, but is not counted by default. */
		chunk.state = PM_CHUNK_IN_USE;
		if (chunk_contents_read(&report->contents, report->heap, &chunk, &content, error) <
		            0 ||
		    pm_census_add(report->pins, &chunk, content.item.head, content.item.size,
		                  error) < 0)
			return -1;
	}

	return pm_census_sort(report->pins, PM_CENSUS_BY_COUNT, error);
}

int heap_report_count(struct heap_report *report, struct pm_error *error)
{
	const struct pm_census_options options = { .keys = heap_report_keys(report),
		                                   .types = report->contents.types,
		                                   .filter = report->filter };

	report->verdict = heap_verdict_make(report->heap);
	if (read_pins(report, error) < 0 ||
	    pm_census_create(&options, &report->census, error) < 0 ||
	    pm_census_add_heap(report->census, report->heap, error) < 0)
		return -1;

	return pm_census_sort(report->census, PM_CENSUS_BY_BYTES, error);
}

void heap_report_deinit(struct heap_report *report)
{
	pm_census_destroy(report->census);
	pm_census_destroy(report->pins);
	pm_chunk_filter_destroy(report->filter);
	chunk_contents_close(&report->contents);
	pm_heap_close(report->heap);
	memory_close(&report->memory);
}

const struct pm_census_class *heap_report_pins(const struct heap_report *report)
{
	if (!report->pins || pm_census_count(report->pins) == 0)
		return NULL;

	return pm_census_get(report->pins, 0);
}

unsigned heap_report_keys(const struct heap_report *report)
{
	if (report->options->by)
		return report->options->by;

	return PM_CENSUS_SIZE | PM_CENSUS_TYPE;
}
