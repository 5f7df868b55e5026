/* SPDX-License-Identifier: MIT */
/*
 * Memory that rises and falls, and of which a little more is left after each fall: a leak under a
 * sawtooth.
 *
 * Needs: several falls. Likely if the floor rises steadily, otherwise possible. Regions whose
 * growth is explained by their chunks are left out, and heaps of runtimes, whose floor is the live
 * data (runtime_growth.c).
 */
#include "findings/rules.h"

#include <string.h>

/* Samples below which the lowest ones say little about a floor that does not rise steadily. */
enum { SAMPLES_MIN = 20 };

static bool has_rising_floor(const struct pm_trend *trend)
{
	return trend->sawtooth && trend->floor_known && trend->floor_rise > 0 &&
	       trend->verdict == PM_VERDICT_STEADY;
}

/**
 * Returns the rate of a floor that rises as much as the memory falls, without being steady; 0 if it
 * does not. The floor is known for the two halves of the time.
 */
static double uneven_rate(const struct pm_evidence *evidence, const struct pm_trend *trend)
{
	if (trend->verdict != PM_VERDICT_UNEVEN || !trend->sawtooth || !trend->floor_known ||
	    evidence->samples < SAMPLES_MIN || 2 * trend->floor_rise < trend->swing)
		return 0;
	return 2 * trend->floor_rise / evidence->seconds;
}

void pm_finding_rising_floor(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;

	for (size_t i = 0; i < evidence->region_count; i++) {
		const struct pm_evidence_region *region = &evidence->regions[i];
		double uneven = uneven_rate(evidence, &region->memory.trend);

		if (pm_finding_is_explained(context, region) ||
		    strchr(pm_owner_name(region->owner), '/') ||
		    (uneven <= 0 && !has_rising_floor(&region->memory.trend)) ||
		    !pm_finding_matters(context, uneven + pm_evidence_rate(&region->memory)))
			continue;

		struct pm_finding *finding = pm_finding_add(context, PM_FINDING_RISING_FLOOR,
		                                            uneven > 0 ? PM_CONFIDENCE_POSSIBLE
		                                                       : PM_CONFIDENCE_LIKELY);
		if (!finding)
			return;

		finding->region = region;
		finding->owner = region->owner;
		pm_finding_set_trend(finding, &region->memory);
		if (uneven > 0) {
			finding->rate = uneven;
			finding->estimate = true;
		}
		pm_finding_support(finding, (struct pm_finding_fact){ .id = PM_FACT_FLOOR,
		                                                      .rate = finding->rate });
		pm_finding_add_texts(context, finding);
		pm_finding_acquit_others(context, finding);
		pm_finding_set_limit(context, finding);
		pm_finding_weigh(context, finding);
		pm_finding_explain(context, region);
	}
}
