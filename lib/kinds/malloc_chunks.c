/* SPDX-License-Identifier: MIT */
/*
 * Large blocks, each of which malloc mapped separately. Each block begins with a chunk header
 * (chunk_header.h). The kernel merges adjacent blocks into one region, so the rule walks from
 * header to header. If the walk ends exactly at the end of the region, the whole region consists of
 * such blocks.
 */
#include "kinds/context.h"
#include "kinds/malloc_headers.h"
#include "kinds/malloc_walk.h"
#include "kinds/rules.h"

int pm_rule_malloc_chunks(struct pm_kinds_context *context, struct pm_error *error)
{
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at));) {
		if (!pm_malloc_header_was_read(context, region))
			continue;
		struct pm_malloc_walk walk = { .region = region, .at = region->start };
		if (pm_malloc_walk(context, &walk, pm_malloc_header(context, region), error) < 0)
			return -1;
		if (walk.count > 0)
			pm_malloc_claim(context, region, &walk);
	}

	return 0;
}
