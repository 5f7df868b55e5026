/* SPDX-License-Identifier: MIT */
/*
 * malloc keeps much free memory: the program has freed it, but it is still resident.
 *
 * Needs: a walk of the heap. At least a quarter of the memory of the target, and 16 MiB, are free
 * inside of malloc in all walks, and the chunks in use do not grow. What is free only between two
 * peaks of a sawtooth is in use at another walk.
 */
#include "findings/rules.h"

static const double share_min = 0.25;
static const uint64_t bytes_min = UINT64_C(16) << 20;

void pm_finding_arena_retention(struct pm_finding_context *context)
{
	const struct pm_evidence *evidence = context->evidence;
	uint64_t free = 0, in_use = 0, system = 0, trimmable = 0;
	const struct pm_evidence_arena *largest = NULL;
	bool complete = true;

	for (size_t i = 0; i < evidence->arena_count; i++) {
		const struct pm_evidence_arena *arena = &evidence->arenas[i];

		free += arena->free_always;
		in_use += arena->in_use;
		system += arena->system;
		trimmable += arena->trimmable;
		complete &= arena->complete;
		if (pm_evidence_grows(&arena->use_trend))
			return;
		if (!largest || arena->free_always > largest->free_always)
			largest = arena;
	}
	if (free < bytes_min || (double)free < share_min * (double)evidence->memory.last)
		return;

	struct pm_finding *finding = pm_finding_add(context, PM_FINDING_ARENA_RETENTION,
	                                            complete ? PM_CONFIDENCE_SURE
	                                                     : PM_CONFIDENCE_LIKELY);
	if (!finding)
		return;

	finding->owner = PM_OWNER_MALLOC;
	finding->arena = largest;
	finding->bytes = free;
	finding->verdict = PM_VERDICT_NO_GROWTH;
	pm_finding_support(finding, (struct pm_finding_fact){ .id = PM_FACT_IN_USE,
	                                                      .bytes = in_use,
	                                                      .size = system });
	pm_finding_support(finding,
	                   (struct pm_finding_fact){ .id = PM_FACT_TRIMMABLE, .bytes = trimmable });
	pm_finding_weigh(context, finding);
}
