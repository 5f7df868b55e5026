/* SPDX-License-Identifier: MIT */
/*
 * The heap of a runtime is at its maximum: the program fails soon, or spends its time in
 * collections.
 *
 * Needs: the limit of the heap. Java counts the old objects: if they are near their maximum after a
 * collection of them, they are live. V8 counts garbage, too, so that its full heap is only possibly
 * full of live objects. The limit of Go is soft: it matters if collections follow each other fast.
 */
#include "findings/rules.h"

/* A heap is at its maximum if this part of it is used. */
static const double full_part = 0.9;

/* Collections per second at which Go works mainly for its limit. */
static const double fast_collections = 2;

/* The rate of the live objects is known about this exactly. */
static const double rate_error = 0.15;

/** Returns the number of collections while the process was observed. */
static uint64_t collections(const struct pm_evidence_trend *trend)
{
	return trend->known && trend->last > trend->first ? trend->last - trend->first : 0;
}

/** Tests whether nearly all of a limit is used. */
static bool is_used(const struct pm_evidence_limit *limit)
{
	return limit && !limit->limit.used_unknown && limit->limit.max > 0 &&
	       (double)limit->limit.used >= full_part * (double)limit->limit.max;
}

/** Tests whether the old objects of Java are near their maximum. */
static bool is_full(const struct pm_evidence_owner *owner)
{
	return owner->used_max > 0 &&
	       (double)owner->used.last >= full_part * (double)owner->used_max;
}

static void report(struct pm_finding_context *context, const struct pm_evidence_owner *owner,
                   const struct pm_evidence_limit *limit, enum pm_confidence confidence)
{
	struct pm_finding *finding = pm_finding_add(context, PM_FINDING_RUNTIME_HEAP, confidence);

	if (!finding)
		return;

	finding->owner = owner->owner;
	pm_finding_set_trend(finding, owner->used.known ? &owner->used : &owner->memory);
	if (!owner->used.known)
		finding->bytes = limit->limit.used;
	uint64_t max = owner->used_max > 0 ? owner->used_max : limit->limit.max;
	pm_finding_support(
		finding,
		(struct pm_finding_fact){ .id = PM_FACT_SHARE,
	                                  .bytes = max,
	                                  .percent = 100 * (double)finding->bytes / (double)max });
	finding->limit = limit;
	pm_finding_set_own_limit(finding, limit, rate_error);
	pm_finding_acquit_others(context, finding);
	pm_finding_weigh_full(context, finding);
	pm_finding_explain_owner(context, owner->owner);
}

void pm_finding_runtime_heap(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;
	const struct pm_evidence_limit *java = pm_finding_limit(evidence, PM_LIMIT_JAVA_HEAP);
	const struct pm_evidence_limit *v8 = pm_finding_limit(evidence, PM_LIMIT_V8_OLD_SPACE);
	const struct pm_evidence_limit *go = pm_finding_limit(evidence, PM_LIMIT_GO_MEMORY);

	for (size_t i = 0; i < evidence->owner_count; i++) {
		const struct pm_evidence_owner *owner = &evidence->owners[i];
		uint64_t old = collections(&owner->old_collections);
		double per_second = evidence->seconds > 0
		                            ? (double)collections(&owner->collections) /
		                                      evidence->seconds
		                            : 0;

		if (owner->owner == PM_OWNER_JAVA_HEAP && java && is_full(owner))
			report(context, owner, java,
			       old > 0 ? PM_CONFIDENCE_LIKELY : PM_CONFIDENCE_POSSIBLE);
		else if (owner->owner == PM_OWNER_V8_HEAP && is_used(v8))
			report(context, owner, v8, PM_CONFIDENCE_POSSIBLE);
		else if (owner->owner == PM_OWNER_GO_HEAP && is_used(go) &&
		         per_second >= fast_collections)
			report(context, owner, go, PM_CONFIDENCE_LIKELY);
	}
}
