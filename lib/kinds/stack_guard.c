/* SPDX-License-Identifier: MIT */
#include "kinds/stack_guard.h"

#include "kinds/context.h"
#include "region/pagemap.h"

struct pm_region *pm_stack_guard_below(const struct pm_kinds_context *context,
                                       const struct pm_region *region)
{
	struct pm_region *below = pm_kinds_below(context, region);
	if (!below || pm_kinds_region_class(context, below) != PM_REGION_CLASS_CLOSED ||
	    pm_region_size(below) > PM_STACK_GUARD_MAX)
		return NULL;
	return below;
}

/** Runs of guard pages found so far. */
struct guards {
	unsigned runs;
	uint64_t bytes;
	uint64_t end; /* end of the last run: adjacent runs count as one */
};

static int count(void *context, const struct pm_page_run *run)
{
	struct guards *guards = context;
	if (!(run->state & PM_PAGE_GUARD))
		return 0;

	guards->runs += run->start != guards->end;
	guards->bytes += run->end - run->start;
	guards->end = run->end;
	return 0;
}

int pm_stack_guard_pages(struct pm_kinds_context *context, const struct pm_region *region,
                         unsigned *runs, uint64_t *bytes, struct pm_error *error)
{
	struct guards guards = { 0 };
	struct pm_error why = { 0 };
	if (context->evidence->pagemap && !context->page_states_refused &&
	    pm_pagemap_walk_states(context->evidence->pagemap, region->start, region->end, false,
	                           count, &guards, &why) < 0) {
		if (pm_kinds_fails(&why))
			return pm_kinds_pass_on(&why, error);
		context->page_states_refused = true;
	}

	*runs = guards.runs;
	*bytes = guards.bytes;

	return 0;
}
