/* SPDX-License-Identifier: MIT */
/*
 * Blocks that malloc mapped one by one, in regions that begin with something else: the kernel
 * merges what was mapped later, and therefore below, with them. The pages that are present are
 * looked at for a chunk header. Each costs about half a microsecond, so this comes after all rules
 * that could name the region, and only for those that hold much of the process's memory.
 */
#include <stdlib.h>

#include "base/array.h"
#include "kinds/chunk_header.h"
#include "kinds/context.h"
#include "kinds/evidence_read.h"
#include "kinds/malloc_walk.h"
#include "kinds/rules.h"
#include "region/pagemap.h"

/*
 * Pages looked at in one region and in all that are no chunks; at once; and the part of the
 * process's memory that makes a region worth it.
 */
enum {
	REGION_PAGES_MAX = 2048,
	PAGES_MAX = 4096,
	PAGES_A_CALL = 512,
	FIRST_PAGES = 32,
	WORTHY_PART = 16
};

/** Page starts where a chunk may begin, and what stands there. */
struct pages {
	uint64_t page;
	size_t count;
	size_t most;
	uint64_t addresses[PAGES_A_CALL];
	unsigned char headers[PAGES_A_CALL][PM_CHUNK_HEADER_SIZE];
	bool got[PAGES_A_CALL];
};

static int collect_page(void *context, const struct pm_page_run *run)
{
	struct pages *pages = context;
	if (!(run->state & PM_PAGE_PRESENT) || run->state & (PM_PAGE_ZERO | PM_PAGE_GUARD))
		return 0;

	for (uint64_t at = run->start; at < run->end && pages->count < pages->most;
	     at += pages->page)
		pages->addresses[pages->count++] = at;
	return pages->count == pages->most;
}

/** Collects the first pages from an address on that are present, and reads their starts. */
static int read_pages(struct pm_kinds_context *context, uint64_t start, uint64_t end,
                      struct pages *pages, struct pm_error *error)
{
	struct pm_error why = { 0 };

	pages->count = 0;
	if (pm_pagemap_walk_states(context->evidence->pagemap, start, end, false, collect_page,
	                           pages, &why) < 0) {
		if (pm_kinds_fails(&why))
			return pm_kinds_pass_on(&why, error);
		context->page_states_refused = true;
		pages->count = 0;
		return 0;
	}

	return pm_kinds_read(context, pages->addresses, pages->count, PM_CHUNK_HEADER_SIZE,
	                     pages->headers, pages->got, error);
}

/**
 * Walks from the first chunk among the pages.
 * @param used where to store how many pages were looked at for that
 * @return 0 or -1
 */
static int walk_first(struct pm_kinds_context *context, const struct pages *pages,
                      struct pm_malloc_walk *walk, size_t *used, struct pm_error *error)
{
	size_t chunks = walk->count;
	*used = 0;
	while (*used < pages->count && walk->count == chunks) {
		size_t i = (*used)++;
		walk->at = pages->addresses[i];
		if (pages->got[i] && pm_malloc_walk(context, walk, pages->headers[i], error) < 0)
			return -1;
	}

	if (walk->count == chunks)
		walk->at += pages->page;

	return 0;
}

/**
 * Looks for chunks in a region.
 * @param left how many pages may still be looked at; what was used is taken off
 */
static int search(struct pm_kinds_context *context, struct pm_region *region, struct pages *pages,
                  size_t *left, struct pm_error *error)
{
	struct pm_malloc_walk walk = { .region = region, .at = region->start };
	size_t here = *left < REGION_PAGES_MAX ? *left : REGION_PAGES_MAX, before = here, used;

	pages->most = FIRST_PAGES;
	while (here > 0 && walk.at < region->end) {
		size_t chunks = walk.count;
		pages->most = pages->most < here ? pages->most : here;
		if (read_pages(context, walk.at, region->end, pages, error) < 0 ||
		    walk_first(context, pages, &walk, &used, error) < 0)
			return -1;
		if (pages->count == 0)
			break;
		here -= used;
		pages->most = walk.count > chunks              ? FIRST_PAGES
		              : pages->most * 4 < PAGES_A_CALL ? pages->most * 4
		                                               : PAGES_A_CALL;
	}

	*left -= before - here;
	pm_malloc_claim(context, region, &walk);

	return 0;
}

/** Resident memory that a region must hold to be searched; UINT64_MAX where sizes are not known. */
static uint64_t worthy_size(const struct pm_kinds_context *context)
{
	return context->resident == 0 ? UINT64_MAX : context->resident / WORTHY_PART;
}

int pm_rule_malloc_search(struct pm_kinds_context *context, struct pm_error *error)
{
	size_t at = 0, left = PAGES_MAX;

	if (!context->evidence->pagemap || context->page_states_refused ||
	    context->refusal[0] != '\0')
		return 0;
	if (!pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at))
		return 0;

	struct pages *pages = calloc(1, sizeof *pages);
	if (!pages)
		return pm_error_out_of_memory(error);

	pages->page = context->page;
	uint64_t worthy = worthy_size(context);
	struct pm_region *region;
	int result = 0;

	for (at = 0; result == 0 && left > 0 &&
	             (region = pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at));) {
		if (!pm_region_knows(region, PM_SIZE_RSS) || region->bytes[PM_SIZE_RSS] < worthy)
			continue;
		result = search(context, region, pages, &left, error);
	}

	free(pages);
	return result;
}
