/* SPDX-License-Identifier: MIT */
/*
 * Fetches page states from /proc/PID/pagemap, which has an entry of 64 bits for each page
 * (Documentation/admin-guide/mm/pagemap.rst). Since Linux 4.2, the page frame numbers in the
 * entries are zero without CAP_SYS_ADMIN. Only the flags are used here, and these do not need
 * the capability.
 */
#include "region/pagemap_read.h"

#include <errno.h>

#include "base/io.h"
#include "base/minmax.h"

#define BIT_PRESENT (UINT64_C(1) << 63)
#define BIT_SWAPPED (UINT64_C(1) << 62)
#define BIT_FILE    (UINT64_C(1) << 61)
#define BIT_GUARD   (UINT64_C(1) << 58) /* since Linux 6.14 */

/* Maximum number of pages per read(2): one read returns the states of 8 MiB if pages have 4 KiB. */
enum { PAGES_PER_READ = 2048 };

const size_t pm_pagemap_read_scratch = PAGES_PER_READ * sizeof(uint64_t);

static unsigned state_of(uint64_t entry)
{
	if (entry & BIT_GUARD)
		return PM_PAGE_GUARD;

	unsigned state = 0;
	if (entry & BIT_PRESENT)
		state |= PM_PAGE_PRESENT;
	if (entry & BIT_SWAPPED)
		state |= PM_PAGE_SWAPPED;
	if (state && entry & BIT_FILE)
		state |= PM_PAGE_FILE;

	return state;
}

int pm_pagemap_read_batch(struct pm_pagemap *pagemap, uint64_t start, uint64_t end,
                          struct pm_page_batch *batch)
{
	uint64_t page_size = pagemap->page_size;
	uint64_t pages = pm_min((end - start) / page_size, PAGES_PER_READ);

	ssize_t got = pm_pread(pagemap->fd, pagemap->scratch, pages * sizeof(uint64_t),
	                       start / page_size * sizeof(uint64_t));
	if (got < 0)
		return -1;

	/* A short read means that the following addresses have no entries, so nothing is left to
	 * read. */
	uint64_t answered = (uint64_t)got / sizeof(uint64_t);
	const uint64_t *entries = pagemap->scratch;
	batch->count = 0;
	batch->next = answered < pages ? end : start + pages * page_size;

	for (uint64_t i = 0; i < answered; i++) {
		unsigned state = state_of(entries[i]);
		uint64_t address = start + i * page_size;

		if (state == 0)
			continue;

		struct pm_page_run *last = batch->count ? &pagemap->runs[batch->count - 1] : NULL;
		if (last && last->end == address && last->state == state) {
			last->end += page_size;
		} else if (batch->count < PM_PAGEMAP_RUNS) {
			pagemap->runs[batch->count++] = (struct pm_page_run){
				.start = address, .end = address + page_size, .state = state
			};
		} else {
			batch->next = address;
			break;
		}
	}

	return 0;
}
