/* SPDX-License-Identifier: MIT */
/*
 * Anonymous regions without any access: guards, and address space kept for later use. Neither holds
 * memory. A region that does (data made inaccessible by mprotect) is anonymous memory.
 */
#include <string.h>

#include "kinds/context.h"
#include "kinds/evidence_read.h"
#include "kinds/rules.h"

/*
 * Guards of stacks are a few pages (4 KiB in glibc, at most 1 MiB seen); larger ones were merged
 * with a reserve.
 */
static const uint64_t largest_guard = UINT64_C(1) << 20;

/**
 * Returns whether a region may be read-only instead: core files of gdb mark all regions readable,
 * and contain zeros for memory that cannot be read.
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
			               "no access; its end guards the stack above");

		region->thread = above->thread;
		if (above->thread) {
			region->detail = above->detail;
			region->detail.type = PM_DETAIL_THREAD_GUARD;
		}
	}

	return 0;
}

/** Sets the detail of a reserve into which generated code grows. */
static void note_code_below(const struct pm_kinds_context *context, struct pm_region *region)
{
	const struct pm_region *below = pm_kinds_below(context, region);
	if (below && below->kind == PM_KIND_JIT)
		region->detail.type = PM_DETAIL_CODE_REST;
}

/** Claims a region that may be read-only memory, by its first page. */
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
		               "not writable, and begins with zeros, as inaccessible address space "
		               "does in core files of gdb");
		note_code_below(context, region);
	} else {
		pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_INFERRED,
		               got ? "anonymous and not writable, holds data: read-only"
		                   : "anonymous and not writable; its contents could not be read");
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
			               "anonymous memory whose access was removed (mprotect), but "
			               "it holds pages");
			region->detail.type = PM_DETAIL_NO_ACCESS;
			continue;
		}

		pm_kinds_claim(region, PM_KIND_RESERVE, PM_PROOF_PROVEN,
		               "no access, no memory: address space kept for later use");
		note_code_below(context, region);
	}

	return 0;
}
