/* SPDX-License-Identifier: MIT */
/* The last rule: anonymous memory that no other rule has claimed. `why` gives the reason. */
#include "kinds/context.h"
#include "kinds/rules.h"

/**
 * Returns why the kind of a region is not known better.
 *
 * @param context  the context
 * @param region   the region
 * @param refused  reason if the memory of the target cannot be read at all, or NULL
 * @return         a sentence
 */
static const char *why_unknown(const struct pm_kinds_context *context,
                               const struct pm_region *region, const char *refused)
{
	if (pm_region_knows(region, PM_SIZE_RSS) &&
	    region->bytes[PM_SIZE_RSS] + region->bytes[PM_SIZE_SWAP] == 0)
		return "anonymous; holds no memory and therefore no header";
	if (refused)
		return refused;

	switch ((enum pm_header)context->headers[pm_kinds_index(context, region)]) {
	case PM_HEADER_READ:
		if (!context->threads_read || context->threads_refused)
			return "anonymous; does not begin with a malloc header; the locations of "
			       "thread stacks are not known";
		return "anonymous; does not begin with a malloc header and contains no "
		       "thread's stack pointer";

	case PM_HEADER_ABSENT:
		return "anonymous; its first page is not in memory, so its header could not be "
		       "read";
	case PM_HEADER_UNKNOWN:
		return "anonymous; it is not known whether its first page is in memory, so it was "
		       "not read";

	case PM_HEADER_UNREADABLE:
		return "anonymous; its first page could not be read";
	case PM_HEADER_LEFT_OUT:
		return "anonymous; there are too many regions: only the first pages of those that "
		       "hold more were read";
	case PM_HEADER_NOT_READ:
		break;
	}
	return "anonymous; nothing else is known";
}

int pm_rule_anonymous(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	const char *refused = NULL;
	struct pm_region *region;

	if (context->refusal[0] != '\0')
		refused = pm_kinds_text(context,
		                        "anonymous; its memory could not be read, so malloc "
		                        "headers could not be checked: %s",
		                        context->refusal);

	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at));)
		pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_PROVEN,
		               why_unknown(context, region, refused));

	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_READABLE, &at));)
		pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_PROVEN, "anonymous and read-only");

	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_NAMED, &at));)
		pm_kinds_claim(
			region, PM_KIND_ANON, PM_PROOF_INFERRED,
			"named [heap], but the heap only touches it and does not reach into it");

	return 0;
}
