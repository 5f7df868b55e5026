/* SPDX-License-Identifier: MIT */
#include "why/owners.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/target_reader.h>

#include "base/alloc.h"
#include "base/interrupt.h"
#include "target/sampled.h"

void why_owners_note_regions(struct why_owners *owners, const struct pm_regions *regions)
{
	if (regions->count > owners->region_capacity) {
		owners->region_capacity = regions->count * 2;
		owners->regions = alloc_array(owners->regions, owners->region_capacity,
		                              sizeof *owners->regions);
	}

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];

		owners->regions[i] = (struct why_region_owner){
			.start = region->start,
			.end = region->end,
			.owner = region->owner,
			.proven = region->owner_proof == PM_PROOF_PROVEN && !region->owner_mixed,
		};
	}
	owners->region_count = regions->count;
}

/** Adds the counters that the runtimes themselves keep. */
static int add_counters(struct why_owners *owners, const struct pm_sample *sample,
                        struct pm_error *error)
{
	const struct {
		const char *family, *name;
		struct pm_series *series;
	} counters[] = {
		{ "java", "collections", &owners->java_collections },
		{ "java", "old_collections", &owners->java_old_collections },
		{ "java", "old_used", &owners->java_used },
		{ "go", "collections", &owners->go_collections },
		{ "go", "heap_in_use", &owners->go_used },
		{ "go", "heap_marked", &owners->go_live },
	};

	for (size_t i = 0; i < sample->runtimes->counter_count; i++) {
		const struct pm_runtime_counter *counter = &sample->runtimes->counters[i];

		if (strcmp(counter->name, "old_max") == 0)
			owners->java_used_max = counter->value;

		for (size_t c = 0; c < sizeof counters / sizeof *counters; c++)
			if (strcmp(counter->family, counters[c].family) == 0 &&
			    strcmp(counter->name, counters[c].name) == 0 &&
			    pm_series_add(counters[c].series, sample->time, counter->value, error) <
			            0)
				return -1;
	}

	return 0;
}

int why_owners_add_sums(struct why_owners *owners, double time, struct pm_error *error)
{
	owners->known = true;
	for (unsigned i = 0; i < PM_OWNER_COUNT; i++)
		if (pm_series_add(&owners->series[i], time,
		                  pm_owner_sum_weight(&owners->last.items[i]), error) < 0)
			return -1;
	return 0;
}

int why_owners_add(struct why_owners *owners, struct pm_process *process,
                   const struct pm_sample *sample, struct pm_error *error)
{
	/* With ranges of an earlier sample, memory that a runtime has got since then would count as
	 * that of another owner. */
	bool outdated = sample->runtimes && sample->runtimes->range_count > 0 &&
	                !sample->runtimes_fresh;

	if (sample->runtimes && sample->runtimes_fresh && add_counters(owners, sample, error) < 0)
		return -1;
	if (owners->known && outdated)
		return 0;
	why_owners_note_regions(owners, sample->regions);
	if (!sampled_measure_owners(process, sample, &owners->last))
		return 0;
	return why_owners_add_sums(owners, sample->time, error);
}

static bool has_python(const struct pm_runtimes *runtimes)
{
	for (size_t i = 0; runtimes && i < runtimes->count; i++)
		if (strcmp(runtimes->items[i].family, "python") == 0)
			return true;
	return false;
}

/** Reads the heap of Python. Without the right to read memory, there is none. */
static int read_types(struct pm_process *process, const struct pm_regions *regions,
                      struct pm_python_heap **heap, struct pm_error *error)
{
	struct pm_reader reader = { 0 };
	struct pm_pagemap *pagemap = NULL;
	struct pm_error why = { 0 };
	int result = -1;

	if (pm_target_reader_open(process, regions, &reader, &why) == 0 &&
	    pm_pagemap_open(process, PM_PAGEMAP_BEST, &pagemap, &why) == 0) {
		struct pm_page_source pages = pm_pagemap_source(pagemap);
		const struct pm_runtimes_source source = { .regions = regions,
			                                   .reader = &reader,
			                                   .pages = &pages,
			                                   .process = process,
			                                   .cancel = interrupt_flag() };

		result = pm_python_heap_open(&source, heap, &why);
	}

	pm_pagemap_close(pagemap);
	pm_reader_close(&reader);
	if (result == 0 || (why.kind != PM_ERROR_RESOURCES && why.kind != PM_ERROR_CANCELLED))
		return 0;
	*error = why;
	return -1;
}

int why_owners_count_types(struct why_owners *owners, struct pm_process *process,
                           const struct pm_sample *sample, struct pm_error *error)
{
	struct pm_python_heap *heap = NULL;

	if (!has_python(sample->runtimes))
		return 0;
	if (read_types(process, sample->regions, &heap, error) < 0)
		return -1;
	if (!heap || !heap->types_known) {
		pm_python_heap_close(heap);
		return 0;
	}

	if (!owners->first_types) {
		owners->first_types = heap;
		owners->first_time = sample->time;
		return 0;
	}
	pm_python_heap_close(owners->last_types);
	owners->last_types = heap;
	owners->last_time = sample->time;
	return 0;
}

const struct why_region_owner *why_owners_find(const struct why_owners *owners, uint64_t address)
{
	size_t low = 0, high = owners->region_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (owners->regions[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}

	if (low == owners->region_count || owners->regions[low].start > address)
		return NULL;
	return &owners->regions[low];
}

void why_owners_deinit(struct why_owners *owners)
{
	for (unsigned i = 0; i < PM_OWNER_COUNT; i++)
		pm_series_deinit(&owners->series[i]);
	pm_series_deinit(&owners->java_collections);
	pm_series_deinit(&owners->java_old_collections);
	pm_series_deinit(&owners->java_used);
	pm_series_deinit(&owners->go_collections);
	pm_series_deinit(&owners->go_used);
	pm_series_deinit(&owners->go_live);
	pm_python_heap_close(owners->first_types);
	pm_python_heap_close(owners->last_types);
	free(owners->regions);
}
