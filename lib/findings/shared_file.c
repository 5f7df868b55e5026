/* SPDX-License-Identifier: MIT */
/*
 * Shared memory that grows: a file that another process writes, a memfd, or a deleted file.
 *
 * Needs: the lengths of the files that the target maps, over time. If the target is the only one
 * that can write the file, it is the target's own memory, and another rule may explain it. If the
 * length of the file does not change, the growth has an end: it is harmless if no limit is reached
 * before. The shared buffers of a database fill in this way.
 */
#include "findings/rules.h"

/** Sets what is known about the end of a file whose length does not change. */
static void set_end(struct pm_finding *finding)
{
	const struct pm_evidence_shared *shared = finding->shared;

	if (shared->size > 0)
		pm_finding_set_end(finding, shared->size);
}

/**
 * Marks the regions that map the file. If the file reaches the end of the mapping before memory is
 * used up, sets that time.
 */
static void explain(struct pm_finding_context *context, struct pm_finding *finding)
{
	const struct pm_evidence *evidence = context->evidence;

	for (size_t i = 0; i < evidence->region_count; i++) {
		const struct pm_evidence_region *region = &evidence->regions[i];

		if (finding->shared->start < region->start || finding->shared->start >= region->end)
			continue;
		pm_finding_explain(context, region);

		double seconds = (double)region->reserve / finding->rate;
		if (region->reserve == 0 || (finding->time_known && seconds > finding->seconds_min))
			continue;
		finding->limit = NULL;
		finding->time_known = true;
		finding->seconds_min = finding->seconds_max = seconds;
		pm_finding_support(finding, (struct pm_finding_fact){ .id = PM_FACT_RESERVE,
		                                                      .bytes = region->reserve });
	}
}

void pm_finding_shared_file(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;

	for (size_t i = 0; i < evidence->shared_count; i++) {
		const struct pm_evidence_shared *shared = &evidence->shared[i];
		double rate = pm_evidence_rate(&shared->length);
		bool foreign = shared->writer != 0;
		enum pm_confidence confidence = PM_CONFIDENCE_LIKELY;

		if (rate <= 0 || !pm_finding_matters(context, rate) ||
		    (!foreign && !shared->nameless))
			continue;
		if (foreign && !shared->target_writes && pm_evidence_grows(&shared->length))
			confidence = PM_CONFIDENCE_SURE;

		struct pm_finding *finding = pm_finding_add(
			context, foreign ? PM_FINDING_SHARED_FILE : PM_FINDING_NAMELESS_FILE,
			confidence);
		if (!finding)
			return;

		finding->shared = shared;
		finding->owner = PM_OWNER_SHARED;
		pm_finding_set_trend(finding, &shared->length);
		if (foreign)
			pm_finding_support(finding, (struct pm_finding_fact){
							    .id = PM_FACT_WRITER,
							    .count = (uint64_t)shared->writer,
							    .text = shared->writer_name });
		pm_finding_set_limit(context, finding);
		explain(context, finding);
		set_end(finding);
		pm_finding_weigh(context, finding);
	}
}
