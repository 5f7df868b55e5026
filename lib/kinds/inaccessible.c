/* SPDX-License-Identifier: MIT */
/*
 * Anonymous regions without any access: guards, and address space kept for later. Neither holds
 * memory; one that does (data locked away by mprotect) is anonymous memory all the same.
 */
#include <string.h>

#include "kinds/context.h"
#include "kinds/evidence_read.h"
#include "kinds/rules.h"

/* Guards of stacks are a few pages (4 KiB of glibc's, 1 MiB at most seen); what is larger was
 * merged with a reserve. */
static const uint64_t largest_guard = UINT64_C(1) << 20;

/**
 * Whether it may as well be read-only: gdb's core files call all readable, and have zeros of what
 * cannot be read.
 */
static bool may_be_readable(const struct pm_region *region)
{
	return region->perms & PM_PERM_MAYBE(PM_PERM_READ);
}

int pm_rule_guards(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_CLOSED, &at));) {
		const struct pm_region *above = pm_kinds_above(context, region);
		if (!above || above->kind != PM_KIND_STACK ||
		    (region->bytes[PM_SIZE_RSS] > 0 && !may_be_readable(region)))
			continue;

		enum pm_proof proof = may_be_readable(region) ? PM_PROOF_INFERRED : PM_PROOF_PROVEN;
		if (pm_region_size(region) <= largest_guard)
			pm_kinds_claim(region, PM_KIND_GUARD, proof,
			               "no access, right below a thread's stack");
		else
			pm_kinds_claim(region, PM_KIND_RESERVE, proof,
			               "no access; its end guards the thread's stack above");

		region->thread = above->thread;
		if (above->thread) {
			region->detail = above->detail;
			region->detail.type = PM_DETAIL_THREAD_GUARD;
		}
	}

	return 0;
}

/** Says of a reserve into which made code grows that it is one. */
static void note_code_below(const struct pm_kinds_context *context, struct pm_region *region)
{
	const struct pm_region *below = pm_kinds_below(context, region);
	if (below && below->kind == PM_KIND_JIT)
		region->detail.type = PM_DETAIL_CODE_REST;
}

/** Claims a region that may be read-only memory by what it begins with. */
static int claim_unclear(struct pm_kinds_context *context, struct pm_region *region,
                         struct pm_error *error)
{
	static const char zeros[4096];
	char page[sizeof zeros];
	bool got;
	if (pm_kinds_read(context, &region->start, 1, sizeof page, page, &got, error) < 0)
		return -1;

	if (got && memcmp(page, zeros, sizeof page) == 0) {
		pm_kinds_claim(region, PM_KIND_RESERVE, PM_PROOF_INFERRED,
		               "not writable, and begins with zeros: so does address space without "
		               "any access in gdb's core files");
		note_code_below(context, region);
	} else {
		pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_INFERRED,
		               got ? "anonymous, not writable, and it holds data: read-only"
		                   : "anonymous, not writable; what it holds could not be read");
	}

	return 0;
}

int pm_rule_reserves(struct pm_kinds_context *context, struct pm_error *error)
{
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_CLOSED, &at));) {
		if (may_be_readable(region)) {
			if (claim_unclear(context, region, error) < 0)
				return -1;
			continue;
		}

		if (region->bytes[PM_SIZE_RSS] > 0 || region->bytes[PM_SIZE_SWAP] > 0) {
			pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_PROVEN,
			               "anonymous memory whose access was taken away (mprotect), "
			               "yet it holds pages");
			region->detail.type = PM_DETAIL_NO_ACCESS;
			continue;
		}

		pm_kinds_claim(region, PM_KIND_RESERVE, PM_PROOF_PROVEN,
		               "no access, no memory: address space kept for later");
		note_code_below(context, region);
	}

	return 0;
}
