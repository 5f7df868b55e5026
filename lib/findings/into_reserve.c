/* SPDX-License-Identifier: MIT */
/*
 * A region grows into a reserve behind it, whose end is known: the program fails when the reserve
 * is used up, even if there is much memory.
 *
 * Needs: a reserve, and a region whose length grows; likely if it grows steadily. The heaps of
 * runtimes are left out: they grow up to their limit and then collect garbage.
 */
#include "findings/rules.h"

/* Smaller areas are those that a runtime keeps about its heap. */
static const uint64_t area_min = UINT64_C(1) << 20;

/* A reserve that lasts longer than this is not a problem. */
static const double seconds_max = 30 * 86400.0;

static bool is_runtime_heap(enum pm_owner owner)
{
	return owner == PM_OWNER_JAVA_HEAP || owner == PM_OWNER_V8_HEAP ||
	       owner == PM_OWNER_GO_HEAP || owner == PM_OWNER_DOTNET_HEAP;
}

void pm_finding_reserve(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;

	for (size_t i = 0; i < evidence->region_count; i++) {
		const struct pm_evidence_region *region = &evidence->regions[i];
		double rate = pm_evidence_rate(&region->length);

		if (region->reserve == 0 || pm_finding_is_explained(context, region) ||
		    is_runtime_heap(region->owner) || rate <= 0 ||
		    region->length.last + region->reserve < area_min ||
		    (double)region->reserve > rate * seconds_max)
			continue;

		bool steady = pm_evidence_grows(&region->length);
		struct pm_finding *finding = pm_finding_add(context, PM_FINDING_RESERVE,
		                                            steady ? PM_CONFIDENCE_LIKELY
		                                                   : PM_CONFIDENCE_POSSIBLE);
		if (!finding)
			return;

		finding->region = region;
		finding->owner = region->owner;
		pm_finding_set_trend(finding, &region->length);
		finding->time_known = true;
		finding->seconds_min = finding->seconds_max = (double)region->reserve / rate;
		pm_finding_support(finding, (struct pm_finding_fact){ .id = PM_FACT_RESERVE,
		                                                      .bytes = region->reserve });
		pm_finding_add_texts(context, finding);
		pm_finding_weigh(context, finding);
		pm_finding_explain(context, region);
	}
}
