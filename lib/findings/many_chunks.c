/* SPDX-License-Identifier: MIT */
/*
 * Chunks of malloc of one size make up much of the memory. Whether they pile up is not known.
 *
 * Needs: the chunks at one moment, as in a core file. If growth was observed, what grows matters,
 * and not what is there.
 */
#include "findings/rules.h"

/* Fewer chunks or bytes, or a smaller part of the memory, are not worth a finding. */
static const uint64_t count_min = 1000, bytes_min = UINT64_C(16) << 20;
static const double share_min = 0.25;

static const struct pm_evidence_chunks *largest_class(const struct pm_evidence *evidence)
{
	const struct pm_evidence_chunks *largest = NULL;

	for (size_t i = 0; i < evidence->chunk_count; i++)
		if (!largest || evidence->chunks[i].bytes > largest->bytes)
			largest = &evidence->chunks[i];
	return largest;
}

void pm_finding_many_chunks(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;
	const struct pm_evidence_chunks *chunks = largest_class(evidence);
	uint64_t memory = evidence->memory.last;

	if (evidence->source != PM_EVIDENCE_CORE || !chunks || memory == 0 ||
	    chunks->count < count_min || chunks->bytes < bytes_min ||
	    (double)chunks->bytes < share_min * (double)memory)
		return;

	struct pm_finding *finding = pm_finding_add(context, PM_FINDING_MANY_CHUNKS,
	                                            PM_CONFIDENCE_POSSIBLE);
	if (!finding)
		return;

	finding->owner = PM_OWNER_MALLOC;
	finding->chunks = chunks;
	finding->bytes = chunks->bytes;
	finding->count = chunks->count;
	pm_finding_support(finding,
	                   (struct pm_finding_fact){ .id = PM_FACT_SHARE,
	                                             .bytes = memory,
	                                             .percent = 100 * (double)chunks->bytes /
	                                                        (double)memory });
	pm_finding_add_texts(context, finding);
	pm_finding_weigh(context, finding);
}
