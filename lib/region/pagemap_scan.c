/* SPDX-License-Identifier: MIT */
/*
 * Fetches page states with PAGEMAP_SCAN (Linux 6.7, Documentation/admin-guide/mm/pagemap.rst). The
 * structures and numbers are those of <linux/fs.h>, which is not included because it may be older
 * than the kernel.
 *
 * `walk_end`, which the kernel writes, is not used. At least up to Linux 6.18 it can be less than
 * the end of the last range returned: if the kernel copies its internal buffer to the vector during
 * a walk and then reaches the end of the walk, it does not update `walk_end`. Instead, the counts
 * show whether a walk is complete: the kernel stops early only if the vector is full or if it has
 * found max_pages pages.
 */
#include "region/pagemap_scan.h"

#include <errno.h>
#include <sys/ioctl.h>

#include "base/minmax.h"

/** A run of pages, with the layout of struct page_region in <linux/fs.h>. */
struct scan_range {
	uint64_t start;
	uint64_t end;
	uint64_t categories;
};

/** The argument of the ioctl, with the layout of struct pm_scan_arg in <linux/fs.h>. */
struct scan_request {
	uint64_t size;
	uint64_t flags;
	uint64_t start;
	uint64_t end;
	uint64_t walk_end;
	uint64_t ranges;
	uint64_t ranges_length;
	uint64_t max_pages;
	uint64_t category_inverted;
	uint64_t category_mask;
	uint64_t category_anyof_mask;
	uint64_t return_mask;
};

#define SCAN_IOCTL _IOWR('f', 16, struct scan_request)

enum {
	CATEGORY_FILE = 1 << 2,
	CATEGORY_PRESENT = 1 << 3,
	CATEGORY_SWAPPED = 1 << 4,
	CATEGORY_ZERO = 1 << 5,
	CATEGORY_HUGE = 1 << 6,
	CATEGORY_GUARD = 1 << 8,
};

/*
 * Bounds of one system call, during which the kernel holds the map lock of the target. `max_span`
 * is the maximum length of the range in bytes. `max_present` is the maximum number of bytes in the
 * pages that are returned, because these pages take more time than unmapped pages.
 */
static const uint64_t max_span = UINT64_C(1) << 30;
static const uint64_t max_present = UINT64_C(8) << 20;

const size_t pm_pagemap_scan_scratch = PM_PAGEMAP_RUNS * sizeof(struct scan_range);

static long scan(struct pm_pagemap *pagemap, uint64_t start, uint64_t end, bool files)
{
	uint64_t wanted = CATEGORY_PRESENT | CATEGORY_SWAPPED;
	uint64_t reported = wanted | CATEGORY_ZERO | CATEGORY_HUGE;
	if (files)
		reported |= CATEGORY_FILE;
	if (pagemap->knows_guards) {
		wanted |= CATEGORY_GUARD;
		reported |= CATEGORY_GUARD;
	}

	struct scan_request request = {
		.size = sizeof request,
		.start = start,
		.end = end,
		.ranges = (uint64_t)(uintptr_t)pagemap->scratch,
		.ranges_length = PM_PAGEMAP_RUNS,
		.max_pages = max_present / pagemap->page_size,
		.category_anyof_mask = wanted,
		.return_mask = reported,
	};

	long found;
	do
		found = ioctl(pagemap->fd, SCAN_IOCTL, &request);
	while (found < 0 && errno == EINTR);

	return found;
}

int pm_pagemap_scan_probe(struct pm_pagemap *pagemap)
{
	pagemap->knows_guards = true;
	if (scan(pagemap, 0, pagemap->page_size, true) >= 0)
		return 0;

	pagemap->knows_guards = false;
	if (scan(pagemap, 0, pagemap->page_size, true) < 0)
		return -1;

	return 0;
}

static unsigned state_of(uint64_t categories)
{
	unsigned state = 0;

	/* Test for guard pages first. The kernel also reports a guard page as swapped, because both
	 * have page table entries that are not present. */
	if (categories & CATEGORY_GUARD)
		return PM_PAGE_GUARD;

	if (categories & CATEGORY_PRESENT)
		state |= PM_PAGE_PRESENT;
	if (categories & CATEGORY_SWAPPED)
		state |= PM_PAGE_SWAPPED;
	if (categories & CATEGORY_FILE)
		state |= PM_PAGE_FILE;
	if (categories & CATEGORY_ZERO)
		state |= PM_PAGE_ZERO;

	if (categories & CATEGORY_HUGE)
		state |= PM_PAGE_HUGE;

	return state;
}

int pm_pagemap_scan_batch(struct pm_pagemap *pagemap, uint64_t start, uint64_t end, bool files,
                          struct pm_page_batch *batch)
{
	uint64_t stop = start + pm_min(end - start, max_span);
	long found = scan(pagemap, start, stop, files);
	if (found < 0)
		return -1;

	const struct scan_range *ranges = pagemap->scratch;
	uint64_t pages = 0;
	for (long i = 0; i < found; i++) {
		pagemap->runs[i] = (struct pm_page_run){ .start = ranges[i].start,
			                                 .end = ranges[i].end,
			                                 .state = state_of(ranges[i].categories) };
		pages += (ranges[i].end - ranges[i].start) / pagemap->page_size;
	}

	bool stopped_early = found == PM_PAGEMAP_RUNS || pages >= max_present / pagemap->page_size;
	batch->count = (size_t)found;
	batch->next = stop;
	if (stopped_early && found > 0)
		batch->next = ranges[found - 1].end;

	return 0;
}
