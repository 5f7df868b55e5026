/* SPDX-License-Identifier: MIT */
/*
 * Things that pile up, and which the kernel counts: threads, mappings, descriptors.
 *
 * Needs: the numbers over time. Growth that is steady is reported even if it needs little memory:
 * the limit is the number.
 */
#include "findings/rules.h"

#include <string.h>

/** A number, its finding, and the limits that restrict it. */
static const struct {
	enum pm_evidence_number number;
	enum pm_finding_id finding;
	enum pm_limit_kind limits[4];
	size_t limit_count;
} numbers[] = {
	{ PM_EVIDENCE_THREADS,
	  PM_FINDING_THREADS,
	  { PM_LIMIT_PIDS, PM_LIMIT_USER_THREADS, PM_LIMIT_THREADS, PM_LIMIT_PID_MAX },
	  4 },
	{ PM_EVIDENCE_MAPPINGS, PM_FINDING_MAPPINGS, { PM_LIMIT_MAPPINGS }, 1 },
	{ PM_EVIDENCE_DESCRIPTORS, PM_FINDING_DESCRIPTORS, { PM_LIMIT_MAPPINGS }, 0 },
};

/** Sets the limit of a number that is reached first. */
static void set_limit(const struct pm_evidence *evidence, size_t index, struct pm_finding *finding)
{
	for (size_t i = 0; i < numbers[index].limit_count; i++) {
		const struct pm_evidence_limit *limit = pm_finding_limit(evidence,
		                                                         numbers[index].limits[i]);
		if (!limit || limit->limit.exempt)
			continue;

		double seconds = (double)pm_limit_left(&limit->limit) / finding->count_rate;
		if (finding->time_known && seconds >= finding->seconds_min)
			continue;
		finding->limit = limit;
		finding->time_known = true;
		finding->seconds_min = finding->seconds_max = seconds;
	}
}

/** Sets when the process can open no more files. */
static void set_descriptor_limit(const struct pm_evidence *evidence, struct pm_finding *finding)
{
	if (evidence->descriptors_max <= finding->count)
		return;

	finding->count_max = evidence->descriptors_max;
	finding->time_known = true;
	finding->seconds_min = finding->seconds_max =
		(double)(finding->count_max - finding->count) / finding->count_rate;
}

/**
 * Marks the regions that pile up with the mappings.
 * @return those that pile up fastest; NULL if there are none
 */
static const struct pm_evidence_region *explain_mappings(struct pm_finding_context *context,
                                                         double rate)
{
	const struct pm_evidence *evidence = context->evidence;
	const struct pm_evidence_region *fastest = NULL;

	for (size_t i = 0; i < evidence->region_count; i++) {
		const struct pm_evidence_region *region = &evidence->regions[i];

		if (pm_evidence_rate(&region->count) < rate / 2)
			continue;
		pm_finding_explain(context, region);
		if (!fastest ||
		    pm_evidence_rate(&region->count) > pm_evidence_rate(&fastest->count))
			fastest = region;
	}

	return fastest;
}

/** Marks the stacks, which pile up with the threads. */
static void explain_stacks(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;

	for (size_t i = 0; i < evidence->region_count; i++)
		if (evidence->regions[i].kind == PM_KIND_STACK)
			pm_finding_explain(context, &evidence->regions[i]);
}

/**
 * Tests whether new mappings are those of new threads: a thread has a stack with its guard, and
 * some threads have an arena, of two regions, too.
 */
static bool belong_to_threads(const struct pm_finding_context *context, double rate)
{
	return rate <= 4.2 * context->thread_rate;
}

/** Adds the name of most of the newest things. */
static void add_name(const struct pm_evidence_name *name, struct pm_finding *finding)
{
	if (name->name && name->count > name->of / 2)
		pm_finding_support(finding, (struct pm_finding_fact){ .id = PM_FACT_NAME,
		                                                      .count = name->count,
		                                                      .size = name->of,
		                                                      .text = name->name });
}

/** Tests whether mappings are those of the heap of a runtime, which is judged as a whole. */
static bool belong_to_runtime(const struct pm_evidence_region *region)
{
	return region && strchr(pm_owner_name(region->owner), '/');
}

void pm_finding_pile_up(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const struct pm_evidence_trend *trend = &evidence->numbers[numbers[i].number];
		const struct pm_evidence_region *region = NULL;
		double rate = pm_evidence_rate(trend);

		if (!pm_evidence_grows(trend))
			continue;
		if (numbers[i].number == PM_EVIDENCE_MAPPINGS) {
			region = explain_mappings(context, rate);
			if (belong_to_threads(context, rate) || belong_to_runtime(region))
				continue;
		}

		struct pm_finding *finding = pm_finding_add(context, numbers[i].finding,
		                                            PM_CONFIDENCE_SURE);
		if (!finding)
			return;

		finding->verdict = trend->trend.verdict;
		finding->count = trend->last;
		finding->region = region;
		finding->count_rate = rate;
		if (numbers[i].number == PM_EVIDENCE_THREADS) {
			context->thread_rate = rate;
			explain_stacks(context);
		}
		if (numbers[i].number == PM_EVIDENCE_DESCRIPTORS)
			set_descriptor_limit(evidence, finding);
		else
			set_limit(evidence, i, finding);
		add_name(&evidence->names[numbers[i].number], finding);
		pm_finding_add_texts(context, finding);
		pm_finding_weigh(context, finding);
	}
}
