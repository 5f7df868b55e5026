/* SPDX-License-Identifier: MIT */
/*
 * Anonymous regions without any access: guards, and address space kept for later. Neither holds memory; one that does (data locked away
 * by mprotect) is anonymous memory all the same.
 */
#include "kinds/rules.h"

/* Guards of stacks are a few pages (4 KiB of glibc's, 1 MiB at most seen); what is larger was merged with a reserve. */
static const uint64_t largest_guard = UINT64_C(1) << 20;

int pm_rule_guards(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_LOOKS_CLOSED, &at));) {
		const struct pm_region *above = pm_kinds_above(context, region);
		if (!above || above->kind != PM_KIND_STACK || region->bytes[PM_SIZE_RSS] > 0)
			continue;
		const char *whose = above->thread ? pm_kinds_text(context, "of %s", above->detail) : "";
		if (pm_region_size(region) <= largest_guard)
			pm_kinds_claim(region, PM_KIND_GUARD, PM_PROOF_PROVEN, "no access, right below a thread's stack");
		else
			pm_kinds_claim(region, PM_KIND_RESERVE, PM_PROOF_PROVEN, "no access; its end guards the thread's stack above");
		region->detail = whose;
		region->thread = above->thread;
	}
	return 0;
}

int pm_rule_reserves(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_LOOKS_CLOSED, &at));) {
		if (region->bytes[PM_SIZE_RSS] > 0 || region->bytes[PM_SIZE_SWAP] > 0) {
			pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_PROVEN, "anonymous memory whose access was taken away (mprotect), yet it holds pages");
			region->detail = "no access";
			continue;
		}
		const struct pm_region *below = pm_kinds_below(context, region);
		pm_kinds_claim(region, PM_KIND_RESERVE, PM_PROOF_PROVEN, "no access, no memory: address space kept for later");
		if (below && below->kind == PM_KIND_JIT)
			region->detail = "rest of the code cache below";
	}
	return 0;
}
