/* SPDX-License-Identifier: MIT */
#include "region/pagemap_measure.h"

#include <stdio.h>
#include <string.h>

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "base/io.h"
#include "region/pagemap.h"

/* Regions closer to each other than this are walked in one go: fewer calls, and walking unmapped
 * space costs next to nothing. */
static const uint64_t joinable_gap = UINT64_C(1) << 20;

/** What the visitor carries along: runs and regions both come by ascending address. */
struct measuring {
	struct pm_regions *regions;
	const bool *chosen; /**< regions that are measured; NULL: all */
	size_t region;      /**< index of the region where the next run may begin */
	bool huge_in_files; /**< a huge entry outside of private anonymous memory: hugetlbfs, or a
	                       transparent huge page of a file */
	const struct pm_page_observer *observer; /**< NULL: nobody else looks */
	struct pm_error *error;                  /**< for the observer */
};

static bool is_chosen(const bool *chosen, size_t region)
{
	return !chosen || chosen[region];
}

static void count_pages(struct measuring *measuring, struct pm_region *region, unsigned state,
                        uint64_t size)
{
	if (state & PM_PAGE_PRESENT && !(state & PM_PAGE_ZERO))
		region->bytes[PM_SIZE_RSS] += size;
	else if (state & PM_PAGE_SWAPPED)
		region->bytes[PM_SIZE_SWAP] += size;
	if (state & PM_PAGE_HUGE && !pm_region_is_anonymous(region))
		measuring->huge_in_files = true;
}

static int add_run(void *context, const struct pm_page_run *run)
{
	struct measuring *measuring = context;
	struct pm_regions *regions = measuring->regions;

	if (measuring->observer &&
	    measuring->observer->run(measuring->observer->context, run, measuring->error) < 0)
		return -1;

	for (uint64_t at = run->start; at < run->end;) {
		while (measuring->region < regions->count &&
		       regions->items[measuring->region].end <= at)
			measuring->region++;

		if (measuring->region == regions->count)
			return 0;

		/* A run may begin in a mapping that is newer than the list. */
		struct pm_region *region = &regions->items[measuring->region];
		if (region->start >= run->end)
			return 0;

		uint64_t from = at > region->start ? at : region->start;
		uint64_t to = run->end < region->end ? run->end : region->end;
		if (is_chosen(measuring->chosen, measuring->region))
			count_pages(measuring, region, run->state, to - from);
		at = to;
	}

	return 0;
}

/**
 * Whether any swap is in use: pages of shared memory in swap are counted by smaps, but have no page
 * table entries to be seen.
 */
static bool swap_is_active(const char *root)
{
	char path[PATH_MAX], text[1024];
	if ((size_t)snprintf(path, sizeof path, "%s/swaps", root) >= sizeof path)
		return true;

	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;

	ssize_t length = pm_read(fd, text, sizeof text);
	close(fd);

	/* The first line is a heading. */
	const char *newline = length > 0 ? memchr(text, '\n', (size_t)length) : NULL;
	return newline && newline + 1 < text + length;
}

static bool has_shared_memory(const struct pm_regions *regions, const bool *chosen)
{
	for (size_t i = 0; i < regions->count; i++)
		if (is_chosen(chosen, i) && regions->items[i].perms & PM_PERM_SHARED &&
		    regions->items[i].inode != 0)
			return true;
	return false;
}

static int walk_spans(struct pm_pagemap *pagemap, struct pm_regions *regions,
                      struct measuring *measuring, struct pm_error *error)
{
	const struct pm_page_observer *observer = measuring->observer;
	for (size_t first = 0; first < regions->count;) {
		if (!is_chosen(measuring->chosen, first)) {
			first++;
			continue;
		}

		uint64_t start = regions->items[first].start, end = regions->items[first].end;
		size_t next = first + 1;
		for (; next < regions->count && regions->items[next].start - end < joinable_gap;
		     next++)
			if (is_chosen(measuring->chosen, next))
				end = regions->items[next].end;

		measuring->region = first;
		if (observer && observer->span(observer->context, start, end, error) < 0)
			return -1;
		if (pm_pagemap_walk_states(pagemap, start, end, false, add_run, measuring, error) <
		    0)
			return -1;

		first = next;
	}

	return 0;
}

int pm_pagemap_measure(struct pm_pagemap *pagemap, struct pm_regions *regions, bool *exact,
                       struct pm_error *error)
{
	return pm_pagemap_measure_chosen(pagemap, regions, NULL, NULL, exact, error);
}

int pm_pagemap_measure_chosen(struct pm_pagemap *pagemap, struct pm_regions *regions,
                              const bool *chosen, const struct pm_page_observer *observer,
                              bool *exact, struct pm_error *error)
{
	const uint32_t measured = PM_SIZE_BIT(PM_SIZE_RSS) | PM_SIZE_BIT(PM_SIZE_SWAP);

	for (size_t i = 0; i < regions->count; i++)
		if (is_chosen(chosen, i))
			regions->items[i].bytes[PM_SIZE_RSS] =
				regions->items[i].bytes[PM_SIZE_SWAP] = 0;

	struct measuring measuring = {
		.regions = regions, .chosen = chosen, .observer = observer, .error = error
	};
	if (walk_spans(pagemap, regions, &measuring, error) < 0)
		return -1;

	for (size_t i = 0; i < regions->count; i++)
		if (is_chosen(chosen, i))
			regions->items[i].known |= measured;

	*exact = pm_pagemap_method(pagemap) == PM_PAGEMAP_SCAN && !measuring.huge_in_files &&
	         !(has_shared_memory(regions, chosen) &&
	           swap_is_active(pm_process_root(pagemap->process)));

	return 0;
}
