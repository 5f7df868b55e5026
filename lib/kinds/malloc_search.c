/* SPDX-License-Identifier: MIT */
/*
 * Blocks that malloc mapped separately, in regions that begin with other memory: the kernel places
 * later mappings below existing blocks and may merge them into one region. Each page that is
 * present is checked for a chunk header. This takes about half a microsecond for each page, so this
 * rule runs after most other rules, and examines only regions that hold a large part of the memory
 * of the process.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/minmax.h"
#include "kinds/chunk_header.h"
#include "kinds/context.h"
#include "kinds/evidence_read.h"
#include "kinds/malloc_walk.h"
#include "kinds/rules.h"
#include "region/pagemap.h"

/*
 * REGION_PAGES_MAX: maximum number of pages to check in a region. PAGES_MAX: maximum number of
 * pages to check in all regions. PAGES_A_CALL: maximum number of pages that one call reads.
 * FIRST_PAGES: this maximum for the first call in a region, and for the first call after chunks
 * were found. WORTHY_PART: a region is searched if it holds at least 1/WORTHY_PART of the resident
 * memory of the process.
 */
enum {
	REGION_PAGES_MAX = 2048,
	PAGES_MAX = 4096,
	PAGES_A_CALL = 512,
	FIRST_PAGES = 32,
	WORTHY_PART = 16
};

/** Pages at which a chunk may begin, and the first bytes of each. */
struct pages {
	uint64_t page; /* bytes of a page */
	size_t count;
	size_t max; /* maximum number of pages to collect */
	uint64_t addresses[PAGES_A_CALL];
	unsigned char headers[PAGES_A_CALL][PM_CHUNK_HEADER_SIZE];
	bool got[PAGES_A_CALL];
};

static int collect_page(void *context, const struct pm_page_run *run)
{
	struct pages *pages = context;
	if (!(run->state & PM_PAGE_PRESENT) || run->state & (PM_PAGE_ZERO | PM_PAGE_GUARD))
		return 0;

	for (uint64_t at = run->start; at < run->end && pages->count < pages->max;
	     at += pages->page)
		pages->addresses[pages->count++] = at;
	return pages->count == pages->max;
}

/**
 * Collects present pages from `start` on, at most `pages->max`, and reads the first bytes of each.
 * Collects no pages if pagemap refuses to return page states.
 */
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
 * Checks the pages in order until a page begins with a chunk, and walks over the contiguous chunks
 * that begin there.
 *
 * @param context  the context
 * @param pages    the pages
 * @param walk     receives the chunks, and in `at` the address where the search continues
 * @param used     receives the number of pages that were checked
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
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
 * Searches a region for chunks, and claims the region if the chunks cover enough of it
 * (pm_malloc_claim()).
 *
 * @param context  the context
 * @param region   the region
 * @param pages    buffer for pages
 * @param left     maximum number of pages to check; receives this number minus the number of pages
 *                 that were checked
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
static int search(struct pm_kinds_context *context, struct pm_region *region, struct pages *pages,
                  size_t *left, struct pm_error *error)
{
	struct pm_malloc_walk walk = { .region = region, .at = region->start };
	size_t here = pm_min_size(*left, REGION_PAGES_MAX);
	size_t before = here, used;

	pages->max = FIRST_PAGES;
	while (here > 0 && walk.at < region->end) {
		size_t chunks = walk.count;
		pages->max = pm_min_size(pages->max, here);
		if (read_pages(context, walk.at, region->end, pages, error) < 0 ||
		    walk_first(context, pages, &walk, &used, error) < 0)
			return -1;
		if (pages->count == 0)
			break;
		here -= used;
		pages->max = pm_min_size(pages->max * 4, PAGES_A_CALL);
		if (walk.count > chunks)
			pages->max = FIRST_PAGES;
	}

	*left -= before - here;
	pm_malloc_claim(context, region, &walk);

	return 0;
}

/**
 * Returns the minimum resident size of a region to be searched, in bytes. Returns UINT64_MAX, so
 * that no region is searched, if sizes are not known.
 */
static uint64_t worthy_size(const struct pm_kinds_context *context)
{
	if (context->resident == 0)
		return UINT64_MAX;
	return context->resident / WORTHY_PART;
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
