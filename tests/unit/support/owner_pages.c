/* SPDX-License-Identifier: MIT */
#include "support/owner_pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <procmem/kinds.h>

#include "support/target.h"

enum { PAGE = 4096 };

/* The vsyscall page and all above are not the process's own. */
#define USER_END (UINT64_C(1) << 63)

enum pm_owner owner_pages_at(const struct owner_pages *pages, uint64_t address)
{
	const struct pm_runtimes *runtimes = pages->runtimes;
	size_t i = pm_runtimes_range_index(runtimes, address);
	const struct pm_region *region = pm_regions_find(&pages->look.regions, address);

	if (!region)
		return PM_OWNER_UNKNOWN;
	if (i < runtimes->range_count && runtimes->ranges[i].range.start <= address)
		return (enum pm_owner)runtimes->ranges[i].owner;
	return region->owner_mixed ? PM_OWNER_UNKNOWN : (enum pm_owner)region->owner;
}

static int count_run(void *context, const struct pm_page_run *run)
{
	struct owner_pages *pages = context;

	if (!(run->state & PM_PAGE_PRESENT) || (run->state & PM_PAGE_ZERO))
		return 0;
	for (uint64_t at = run->start; at < run->end; at += PAGE)
		pages->resident[owner_pages_at(pages, at)] += PAGE;
	pages->total += run->end - run->start;
	return 0;
}

void owner_pages_open(struct owner_pages *pages, pid_t pid)
{
	struct pm_error error = { 0 };

	memset(pages, 0, sizeof *pages);
	look_open(&pages->look, pid);
	const struct pm_runtimes_source source = { .regions = &pages->look.regions,
		                                   .reader = &pages->look.memory,
		                                   .pages = &pages->look.pages,
		                                   .process = pages->look.process,
		                                   .time_ms = 60000 };
	must(pm_runtimes_open(&source, &pages->runtimes, &error), &error);

	const struct pm_kinds_evidence evidence = { .process = pages->look.process,
		                                    .reader = &pages->look.memory,
		                                    .pagemap = pages->look.pagemap,
		                                    .runtimes = pages->runtimes };
	must(pm_kinds_assign(&pages->look.regions, &evidence, &error), &error);

	const struct pm_regions *regions = &pages->look.regions;
	for (size_t i = 0; i < regions->count && regions->items[i].start < USER_END; i++)
		must(pm_pagemap_walk(pages->look.pagemap, regions->items[i].start,
		                     regions->items[i].end, count_run, pages, &error),
		     &error);
}

void owner_pages_close(struct owner_pages *pages)
{
	pm_runtimes_close(pages->runtimes);
	look_close(&pages->look);
}

double owner_pages_share(const struct owner_pages *pages)
{
	uint64_t known = pages->total - pages->resident[PM_OWNER_UNKNOWN];

	return 100 * (double)known / (double)pages->total;
}
