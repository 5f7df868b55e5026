/* SPDX-License-Identifier: MIT */
/* What is left: anonymous memory of which nothing more is known, and why not more. */
#include "kinds/context.h"
#include "kinds/rules.h"

/** @param refused what to say where the memory of the target cannot be read at all, or NULL */
static const char *why_unknown(const struct pm_kinds_context *context,
                               const struct pm_region *region, const char *refused)
{
	if (pm_region_knows(region, PM_SIZE_RSS) &&
	    region->bytes[PM_SIZE_RSS] + region->bytes[PM_SIZE_SWAP] == 0)
		return "anonymous; holds no memory, so there is no header to look at";
	if (refused)
		return refused;

	switch ((enum pm_header)context->headers[pm_kinds_index(context, region)]) {
	case PM_HEADER_READ:
		if (!context->threads_read || context->threads_refused)
			return "anonymous; begins with no header of malloc's; where threads have "
			       "their stacks is not known";
		return "anonymous; begins with no header of malloc's, and no thread's stack "
		       "pointer lies in it";
	case PM_HEADER_ABSENT:
		return "anonymous; its first page is not in memory, so there is no header to look "
		       "at";
	case PM_HEADER_UNKNOWN:
		return "anonymous; whether its first page is in memory is not known, so it was not "
		       "read";
	case PM_HEADER_UNREADABLE:
		return "anonymous; its first page could not be read";
	case PM_HEADER_LEFT_OUT:
		return "anonymous; one of so many that only the first pages of those that hold "
		       "more were looked at";
	case PM_HEADER_NOT_READ:
		break;
	}
	return "anonymous; nothing more is known";
}

int pm_rule_anonymous(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	const char *refused = NULL;
	if (context->refusal[0] != '\0')
		refused = pm_kinds_text(context,
		                        "anonymous; its memory could not be read, so nothing of "
		                        "malloc's could be proven: %s",
		                        context->refusal);

	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at));)
		pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_PROVEN,
		               why_unknown(context, region, refused));

	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_READABLE, &at));)
		pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_PROVEN, "anonymous and read-only");

	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_NAMED, &at));)
		pm_kinds_claim(
			region, PM_KIND_ANON, PM_PROOF_INFERRED,
			"named [heap], yet the heap does not reach into it: it only touches it");

	return 0;
}
