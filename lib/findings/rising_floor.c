/* SPDX-License-Identifier: MIT */
/*
 * Memory that rises and falls, and of which a little more is left after each fall: a leak under a
 * sawtooth.
 *
 * Needs: several falls. Regions whose growth is explained by their chunks are left out, and heaps
 * of runtimes, whose floor is the live data (runtime_growth.c).
 */
#include "findings/rules.h"

#include <string.h>

static bool has_rising_floor(const struct pm_trend *trend)
{
	return trend->sawtooth && trend->floor_known && trend->floor_rise > 0 &&
	       trend->verdict == PM_VERDICT_STEADY;
}

void pm_finding_rising_floor(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;

	for (size_t i = 0; i < evidence->region_count; i++) {
		const struct pm_evidence_region *region = &evidence->regions[i];

		if (pm_finding_is_explained(context, region) ||
		    strchr(pm_owner_name(region->owner), '/') ||
		    !has_rising_floor(&region->memory.trend) ||
		    !pm_finding_matters(context, pm_evidence_rate(&region->memory)))
			continue;

		struct pm_finding *finding = pm_finding_add(context, PM_FINDING_RISING_FLOOR,
		                                            PM_CONFIDENCE_LIKELY);
		if (!finding)
			return;

		finding->region = region;
		finding->owner = region->owner;
		pm_finding_set_trend(finding, &region->memory);
		pm_finding_support(finding, (struct pm_finding_fact){ .id = PM_FACT_FLOOR,
		                                                      .rate = finding->rate });
		pm_finding_add_texts(context, finding);
		pm_finding_acquit_others(context, finding);
		pm_finding_set_limit(context, finding);
		pm_finding_weigh(context, finding);
		pm_finding_explain(context, region);
	}
}
