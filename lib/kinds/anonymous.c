/* SPDX-License-Identifier: MIT */
/*
 * The last rule: claims all anonymous memory that no other rule has claimed. `why` contains the
 * reason why the use of the memory is not known.
 */
#include "kinds/context.h"
#include "kinds/rules.h"

/**
 * Returns a text that says why the use of an anonymous region is not known.
 *
 * @param context  the context
 * @param region   the region
 * @param refused  the text to return if the memory of the target cannot be read at all; NULL if it
 *                 can be read
 * @return         the text
 */
static const char *why_unknown(const struct pm_kinds_context *context,
                               const struct pm_region *region, const char *refused)
{
	if (pm_region_knows(region, PM_SIZE_RSS) &&
	    region->bytes[PM_SIZE_RSS] + region->bytes[PM_SIZE_SWAP] == 0)
		return "anonymous memory of unknown use: the region holds no memory, so there is "
		       "no malloc header to check";
	if (refused)
		return refused;

	switch ((enum pm_header)context->headers[pm_kinds_index(context, region)]) {
	case PM_HEADER_READ:
		if (!context->threads_read || context->threads_refused)
			return "anonymous memory of unknown use: does not begin with a malloc "
			       "header; the locations of thread stacks are not known";
		return "anonymous memory of unknown use: does not begin with a malloc header and "
		       "contains no thread's stack pointer";

	case PM_HEADER_ABSENT:
		return "anonymous memory of unknown use: its first page is not in memory, so it "
		       "could not be checked for a malloc header";
	case PM_HEADER_UNKNOWN:
		return "anonymous memory of unknown use: it is not known whether the first page is "
		       "in memory, so the region was not checked for a malloc header";

	case PM_HEADER_UNREADABLE:
		return "anonymous memory of unknown use: its first page could not be read";
	case PM_HEADER_LEFT_OUT:
		return "anonymous memory of unknown use: not checked for a malloc header, because "
		       "there are too many regions and only those with the most memory were "
		       "checked";
	case PM_HEADER_NOT_READ:
		break;
	}
	return "anonymous memory of unknown use";
}

int pm_rule_anonymous(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	const char *refused = NULL;
	struct pm_region *region;

	if (context->refusal[0] != '\0')
		refused = pm_kinds_text(context,
		                        "anonymous memory of unknown use: its memory could not be "
		                        "read, so it could not be checked for malloc headers: %s",
		                        context->refusal);

	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at));)
		pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_PROVEN,
		               why_unknown(context, region, refused));

	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_READABLE, &at));)
		pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_PROVEN, "anonymous and read-only");

	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_NAMED, &at));)
		pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_INFERRED,
		               "named [heap] by the kernel, but not part of the brk heap: only "
		               "adjacent to it");

	return 0;
}
