/* SPDX-License-Identifier: MIT */
/*
 * Large blocks that stay: malloc maps each block above a threshold separately.
 *
 * Needs: regions of the kind `malloc` that grow. Java's direct buffers are such blocks, too: if the
 * process is a JVM, the finding is that memory grows outside of the Java heap.
 */
#include "findings/rules.h"

static void report(struct pm_finding_context *context, const struct pm_evidence_region *region)
{
	const struct pm_evidence *evidence = context->evidence;
	enum pm_owner heap = pm_finding_runtime(evidence);
	const struct pm_evidence_owner *owner = pm_finding_owner(evidence, heap);
	bool outside = heap != PM_OWNER_UNKNOWN && owner && pm_evidence_is_flat(&owner->memory);
	bool same_size = region->chunk_min == region->chunk_max && region->chunk_max > 0;
	bool counted = pm_evidence_grows(&region->count);

	enum pm_finding_id id = outside ? PM_FINDING_OUTSIDE_RUNTIME : PM_FINDING_MAPPED_CHUNKS;
	enum pm_confidence confidence = region->chunk_max > 0 ? PM_CONFIDENCE_SURE
	                                                      : PM_CONFIDENCE_LIKELY;
	if (pm_finding_collects(heap))
		confidence = pm_finding_buffers(evidence);
	struct pm_finding *finding = pm_finding_add(context, id, confidence);
	if (!finding)
		return;

	finding->owner = PM_OWNER_MALLOC;
	finding->region = region;
	pm_finding_set_trend(finding, &region->memory);
	if (same_size && finding->rate > 0)
		finding->count_rate = finding->rate / (double)region->chunk_max;
	else if (counted)
		finding->count_rate = pm_evidence_rate(&region->count);
	if (same_size)
		pm_finding_support(finding, (struct pm_finding_fact){ .id = PM_FACT_CHUNKS,
		                                                      .rate = finding->count_rate,
		                                                      .size = region->chunk_max });
	pm_finding_add_texts(context, finding);
	pm_finding_acquit_others(context, finding);
	pm_finding_set_limit(context, finding);
	pm_finding_weigh(context, finding);
	pm_finding_explain(context, region);
}

void pm_finding_mapped_chunks(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;

	for (size_t i = 0; i < evidence->region_count; i++) {
		const struct pm_evidence_region *region = &evidence->regions[i];

		if (region->kind == PM_KIND_MALLOC && !pm_finding_is_explained(context, region) &&
		    pm_evidence_rate(&region->memory) > 0 &&
		    pm_finding_matters(context, pm_evidence_rate(&region->memory)))
			report(context, region);
	}
}
