/* SPDX-License-Identifier: MIT */
/*
 * The heap of a runtime grows: its objects stay. The types that grow are named where the runtime
 * shows them.
 *
 * Needs: sums by owner over time. The heap of Java, V8 and Go grows between collections: only a
 * rising floor is growth, or types that grow. CPython releases objects at once, so its steady
 * growth is growth of objects.
 */
#include "findings/rules.h"

static bool collects_garbage(enum pm_owner owner)
{
	return owner == PM_OWNER_JAVA_HEAP || owner == PM_OWNER_V8_HEAP ||
	       owner == PM_OWNER_GO_HEAP || owner == PM_OWNER_DOTNET_HEAP ||
	       owner == PM_OWNER_RUBY_HEAP || owner == PM_OWNER_CHROMIUM_OILPAN;
}

static bool is_heap(enum pm_owner owner)
{
	return collects_garbage(owner) || owner == PM_OWNER_PYTHON_OBJECTS;
}

/** Adds the types of an owner that grow, at most three. Returns whether there are any. */
static bool add_types(const struct pm_evidence *evidence, struct pm_finding *finding)
{
	size_t added = 0;

	for (size_t i = 0; i < evidence->type_count && added < 3; i++) {
		const struct pm_evidence_type *type = &evidence->types[i];

		if (type->owner != finding->owner || type->rate <= 0)
			continue;
		pm_finding_support(finding, (struct pm_finding_fact){ .id = PM_FACT_TYPE,
		                                                      .count = type->count,
		                                                      .bytes = type->bytes,
		                                                      .rate = type->rate,
		                                                      .text = type->type });
		added++;
	}

	return added > 0;
}

/** Marks all regions of an owner. */
static void explain_all(struct pm_finding_context *context, enum pm_owner owner)
{
	const struct pm_evidence *evidence = context->evidence;

	for (size_t i = 0; i < evidence->region_count; i++)
		if (evidence->regions[i].owner == owner)
			pm_finding_explain(context, &evidence->regions[i]);
}

void pm_finding_runtime_growth(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;

	for (size_t i = 0; i < evidence->owner_count; i++) {
		const struct pm_evidence_owner *owner = &evidence->owners[i];
		const struct pm_trend *trend = &owner->memory.trend;

		if (!is_heap(owner->owner) || pm_evidence_rate(&owner->memory) <= 0 ||
		    !pm_finding_matters(context, pm_evidence_rate(&owner->memory)))
			continue;

		bool floor = trend->sawtooth && trend->floor_known && trend->floor_rise > 0;
		enum pm_confidence confidence = PM_CONFIDENCE_POSSIBLE;
		if (!collects_garbage(owner->owner) && pm_evidence_grows(&owner->memory))
			confidence = PM_CONFIDENCE_SURE;
		else if (floor)
			confidence = PM_CONFIDENCE_LIKELY;

		struct pm_finding *finding = pm_finding_add(context, PM_FINDING_RUNTIME_GROWTH,
		                                            confidence);
		if (!finding)
			return;

		finding->owner = owner->owner;
		pm_finding_set_trend(finding, &owner->memory);
		add_types(evidence, finding);
		if (floor)
			pm_finding_support(finding,
			                   (struct pm_finding_fact){ .id = PM_FACT_FLOOR,
			                                             .rate = finding->rate });
		pm_finding_acquit_others(context, finding);
		pm_finding_set_limit(context, finding);
		pm_finding_weigh(context, finding);
		explain_all(context, owner->owner);
	}
}
