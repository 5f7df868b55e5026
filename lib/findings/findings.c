/* SPDX-License-Identifier: MIT */
#include <procmem/findings.h>

#include <stdlib.h>

#include "base/array.h"
#include "findings/rules.h"

/* The most specific causes come first: later rules leave out what is explained. */
static pm_finding_rule *const rules[] = {
	pm_finding_pile_up,         pm_finding_java_direct,   pm_finding_java_metaspace,
	pm_finding_java_code,       pm_finding_malloc_leak,   pm_finding_shared_file,
	pm_finding_reserve,         pm_finding_mapped_chunks, pm_finding_runtime_heap,
	pm_finding_runtime_growth,  pm_finding_rising_floor,  pm_finding_child_grows,
	pm_finding_group_process,   pm_finding_tmpfs,         pm_finding_kernel_memory,
	pm_finding_arena_retention, pm_finding_locked,        pm_finding_huge_pages,
	pm_finding_swapping,        pm_finding_page_cache,    pm_finding_growth,
	pm_finding_pressure,        pm_finding_plateau,       pm_finding_shared_counted,
	pm_finding_many_chunks,
};

static int by_weight(const void *left, const void *right)
{
	const struct pm_finding *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return (a->id > b->id) - (a->id < b->id);
}

int pm_findings_make(const struct pm_evidence *evidence, struct pm_findings *findings,
                     struct pm_error *error)
{
	struct pm_finding_context context = { .evidence = evidence, .findings = findings };

	*findings = (struct pm_findings){ 0 };
	context.explained = calloc(evidence->region_count + 1, sizeof *context.explained);
	if (!context.explained)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < sizeof rules / sizeof rules[0] && !context.out_of_memory; i++)
		rules[i](&context);

	free(context.explained);
	if (context.out_of_memory) {
		pm_findings_deinit(findings);
		return pm_error_out_of_memory(error);
	}

	if (findings->count > 0)
		qsort(findings->items, findings->count, sizeof *findings->items, by_weight);
	return 0;
}

void pm_findings_deinit(struct pm_findings *findings)
{
	free(findings->items);
	*findings = (struct pm_findings){ 0 };
}

const char *pm_finding_name(enum pm_finding_id id)
{
	static const char *const names[PM_FINDING_COUNT] = {
		[PM_FINDING_MALLOC_LEAK] = "malloc_leak",
		[PM_FINDING_MAPPED_CHUNKS] = "mapped_chunks",
		[PM_FINDING_MANY_CHUNKS] = "many_chunks",
		[PM_FINDING_ARENA_RETENTION] = "arena_retention",
		[PM_FINDING_RESERVE] = "reserve",
		[PM_FINDING_RISING_FLOOR] = "rising_floor",
		[PM_FINDING_PLATEAU] = "plateau",

		[PM_FINDING_JAVA_DIRECT] = "java_direct",
		[PM_FINDING_RUNTIME_HEAP] = "runtime_heap",
		[PM_FINDING_RUNTIME_GROWTH] = "runtime_growth",
		[PM_FINDING_JAVA_CODE] = "java_code",
		[PM_FINDING_JAVA_METASPACE] = "java_metaspace",
		[PM_FINDING_OUTSIDE_RUNTIME] = "outside_runtime",

		[PM_FINDING_CHILD_GROWS] = "child_grows",
		[PM_FINDING_GROUP_PROCESS] = "group_process",
		[PM_FINDING_SHARED_FILE] = "shared_file",
		[PM_FINDING_NAMELESS_FILE] = "nameless_file",
		[PM_FINDING_TMPFS] = "tmpfs",
		[PM_FINDING_KERNEL_MEMORY] = "kernel_memory",
		[PM_FINDING_PAGE_CACHE] = "page_cache",
		[PM_FINDING_THREADS] = "threads",
		[PM_FINDING_MAPPINGS] = "mappings",
		[PM_FINDING_DESCRIPTORS] = "descriptors",

		[PM_FINDING_SHARED_COUNTED] = "shared_counted",
		[PM_FINDING_LOCKED] = "locked",
		[PM_FINDING_HUGE_PAGES] = "huge_pages",
		[PM_FINDING_SWAPPING] = "swapping",
		[PM_FINDING_PRESSURE] = "pressure",
		[PM_FINDING_GROWTH] = "growth",
	};

	return (unsigned)id < PM_FINDING_COUNT ? names[id] : "";
}

const char *pm_confidence_name(enum pm_confidence confidence)
{
	static const char *const names[] = { [PM_CONFIDENCE_POSSIBLE] = "possible",
		                             [PM_CONFIDENCE_LIKELY] = "likely",
		                             [PM_CONFIDENCE_SURE] = "sure" };
	bool valid = (unsigned)confidence < sizeof names / sizeof *names;

	return valid ? names[confidence] : "";
}
