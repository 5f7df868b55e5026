/* SPDX-License-Identifier: MIT */
/*
 * Anonymous regions without any permission: guards, and address space reserved for later use.
 * Neither of them holds memory. A region without permissions that holds memory was made
 * inaccessible by mprotect(2); its kind is `anon`.
 */
#include <string.h>

#include "kinds/context.h"
#include "kinds/evidence_read.h"
#include "kinds/rules.h"

/*
 * Maximum size of a guard, in bytes. Guards of stacks have a few pages (4 KiB in glibc, never more
 * than 1 MiB in practice); a larger region is a reserve that the kernel merged with a guard.
 */
static const uint64_t largest_guard = UINT64_C(1) << 20;

/**
 * Returns whether a region of class PM_REGION_CLASS_CLOSED may be read-only instead of
 * inaccessible. This is not known in core files of gdb, which mark all regions as readable, and
 * contain zeros for memory that gdb could not read.
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
			               "no access; directly below a thread's stack");
		else
			pm_kinds_claim(region, PM_KIND_RESERVE, proof,
			               "no access; the end of this region is the guard of the "
			               "stack above");

		region->thread = above->thread;
		if (above->thread) {
			region->detail = above->detail;
			region->detail.type = PM_DETAIL_THREAD_GUARD;
		}
	}

	return 0;
}

/** Sets the detail of a reserve if generated code is directly below and grows into the reserve. */
static void note_code_below(const struct pm_kinds_context *context, struct pm_region *region)
{
	const struct pm_region *below = pm_kinds_below(context, region);
	if (below && below->kind == PM_KIND_JIT)
		region->detail.type = PM_DETAIL_CODE_REST;
}

/**
 * Claims a region of a core file of gdb that is either inaccessible or read-only. If its first 4096
 * bytes are zeros, as for inaccessible memory, the region is claimed as a reserve, otherwise as
 * anonymous memory.
 */
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
		               "not writable, and begins with zeros; in core files of gdb, "
		               "inaccessible address space looks like this");
		note_code_below(context, region);
	} else {
		pm_kinds_claim(
			region, PM_KIND_ANON, PM_PROOF_INFERRED,
			got ? "anonymous and not writable; contains data, so it is read-only memory"
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
			               "anonymous memory that holds pages, but was made "
			               "inaccessible (mprotect)");
			region->detail.type = PM_DETAIL_NO_ACCESS;
			continue;
		}

		pm_kinds_claim(region, PM_KIND_RESERVE, PM_PROOF_PROVEN,
		               "no access, no memory: address space reserved for later use");
		note_code_below(context, region);
	}

	return 0;
}
