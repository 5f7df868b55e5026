/* SPDX-License-Identifier: MIT */
/*
 * What weighs although it does not grow: memory that RSS counts in several processes, locked pages,
 * huge pages, swapped-out memory, and shortage that others cause.
 *
 * Needs: the sizes at one moment; for shortage, the signs of pressure.
 */
#include "findings/rules.h"

/* Memory below this share of the target is not worth a finding. */
static const double share_min = 0.2;
static const uint64_t bytes_min = UINT64_C(16) << 20;

/** Tests whether an amount of memory weighs in the target. */
static bool weighs(const struct pm_evidence *evidence, uint64_t bytes)
{
	return bytes >= bytes_min && (double)bytes >= share_min * (double)evidence->memory.last;
}

/** Adds a finding about an amount of memory. */
static struct pm_finding *report(struct pm_finding_context *context, enum pm_finding_id id,
                                 enum pm_confidence confidence, uint64_t bytes)
{
	struct pm_finding *finding = pm_finding_add(context, id, confidence);

	if (!finding)
		return NULL;
	finding->bytes = bytes;
	finding->verdict = PM_VERDICT_NO_GROWTH;
	pm_finding_weigh(context, finding);
	return finding;
}

void pm_finding_shared_counted(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;
	uint64_t shared = 0;

	for (size_t i = 0; i < evidence->region_count; i++)
		if (evidence->regions[i].owner != PM_OWNER_FILE)
			shared += evidence->regions[i].shared;
	if (!weighs(evidence, shared))
		return;

	struct pm_finding *finding = report(context, PM_FINDING_SHARED_COUNTED, PM_CONFIDENCE_SURE,
	                                    shared);
	if (!finding)
		return;

	finding->harmless = true;
	pm_finding_support(finding,
	                   (struct pm_finding_fact){ .id = PM_FACT_SHARE,
	                                             .bytes = evidence->memory.last,
	                                             .percent = 100 * (double)shared /
	                                                        (double)evidence->memory.last });
	pm_finding_weigh(context, finding);
}

void pm_finding_locked(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;
	uint64_t locked = 0;

	for (size_t i = 0; i < evidence->region_count; i++)
		locked += evidence->regions[i].locked;
	if (weighs(evidence, locked))
		report(context, PM_FINDING_LOCKED, PM_CONFIDENCE_SURE, locked);
}

void pm_finding_huge_pages(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;
	const struct pm_evidence_region *largest = NULL;
	uint64_t huge = 0;

	for (size_t i = 0; i < evidence->region_count; i++) {
		const struct pm_evidence_region *region = &evidence->regions[i];

		huge += region->huge;
		if (!largest || region->huge > largest->huge)
			largest = region;
	}
	if (!weighs(evidence, huge))
		return;

	/* Huge pages are not wrong: they weigh if the program uses only parts of them. */
	struct pm_finding *finding = report(context, PM_FINDING_HUGE_PAGES, PM_CONFIDENCE_POSSIBLE,
	                                    huge);
	if (finding)
		finding->region = largest;
}

/** Tests whether a sign means that memory is short, and not that something else is. */
static bool is_shortage(const struct pm_sign *sign)
{
	switch (sign->rule) {
	case PM_SIGN_OOM_KILL:
	case PM_SIGN_UNDER_OOM:
	case PM_SIGN_SWAP_FAIL:
	case PM_SIGN_OOMD:
	case PM_SIGN_FULL:
	case PM_SIGN_STALL:
	case PM_SIGN_SOME:
	case PM_SIGN_MAX_HITS:
	case PM_SIGN_HIGH_HITS:
	case PM_SIGN_DIRECT:
	case PM_SIGN_SWAPPING:
	case PM_SIGN_THRASHING:
		return true;
	default:
		return false;
	}
}

/** Tests whether a sign is one of the whole machine. */
static bool is_of_machine(const struct pm_evidence *evidence, const struct pm_sign *sign)
{
	if (sign->level >= evidence->level_count)
		return false;
	return evidence->levels[sign->level].scope == PM_PRESSURE_HOST ||
	       evidence->levels[sign->level].scope == PM_PRESSURE_NODE;
}

/* The machine is short of memory for the target, too, if tasks wait for this share of the time. */
static const double machine_percent = 10;

/**
 * Tests whether a sign means that memory is short for the target. On a machine, other cgroups reach
 * their limits, and have processes killed, all the time.
 */
static bool concerns_target(const struct pm_evidence *evidence, const struct pm_sign *sign)
{
	const struct pm_sign_info *info = pm_sign_of(sign->rule);

	if (!is_shortage(sign))
		return false;
	if (!is_of_machine(evidence, sign) || sign->rule == PM_SIGN_SWAPPING ||
	    sign->rule == PM_SIGN_THRASHING)
		return true;
	return info && info->percent && sign->value >= machine_percent;
}

static bool is_short(const struct pm_evidence *evidence)
{
	for (size_t i = 0; i < evidence->sign_count; i++)
		if (concerns_target(evidence, &evidence->signs[i]))
			return true;
	return false;
}

/** Adds the signs of shortage, the gravest first. */
static void support_signs(const struct pm_evidence *evidence, struct pm_finding *finding)
{
	for (size_t i = 0; i < evidence->sign_count; i++) {
		const struct pm_sign *sign = &evidence->signs[i];

		if (!concerns_target(evidence, sign) || sign->level >= evidence->level_count)
			continue;
		pm_finding_support(finding, (struct pm_finding_fact){
						    .id = PM_FACT_SIGN,
						    .count = sign->rule,
						    .rate = sign->value,
						    .text = evidence->levels[sign->level].name });
	}
}

void pm_finding_swapping(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;
	bool thrashes = false;

	/* What the machine swaps can be memory of others. */
	for (size_t i = 0; i < evidence->sign_count; i++)
		thrashes |= (evidence->signs[i].rule == PM_SIGN_THRASHING ||
		             evidence->signs[i].rule == PM_SIGN_SWAPPING) &&
		            !is_of_machine(evidence, &evidence->signs[i]);
	if (evidence->swapped < bytes_min && !thrashes)
		return;

	struct pm_finding *finding = report(context, PM_FINDING_SWAPPING,
	                                    thrashes ? PM_CONFIDENCE_SURE : PM_CONFIDENCE_LIKELY,
	                                    evidence->swapped);
	if (finding && thrashes) {
		finding->weight = 60;
		support_signs(evidence, finding);
	}
}

void pm_finding_pressure(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;

	if (!is_short(evidence))
		return;
	for (size_t i = 0; i < context->findings->count; i++)
		if (context->findings->items[i].rate > 0 && !context->findings->items[i].harmless)
			return;

	struct pm_finding *finding = report(context, PM_FINDING_PRESSURE, PM_CONFIDENCE_LIKELY, 0);
	if (finding) {
		finding->weight = 55;
		support_signs(evidence, finding);
	}
}
