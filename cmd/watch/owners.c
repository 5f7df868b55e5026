/* SPDX-License-Identifier: MIT */
#include "watch/owners.h"

#include "base/clock.h"

/* Share of one processor that may be spent on measuring. */
static const double cost_share = 0.003;

/** Returns whether runtimes have ranges that can change. */
static bool has_ranges(const struct pm_sample *sample)
{
	return sample->runtimes && sample->runtimes->range_count > 0;
}

/** Measures the sums. They are not known if a page state cannot be read. */
static bool measure(struct watch_owners *owners, struct pm_process *process,
                    const struct pm_sample *sample)
{
	struct pm_owner_sums_source source = { .runtimes = sample->runtimes };
	struct pm_page_source pages;

	if (!owners->opened && has_ranges(sample)) {
		owners->opened = true;
		if (pm_pagemap_open(process, PM_PAGEMAP_BEST, &owners->pagemap, NULL) < 0)
			owners->pagemap = NULL;
	}
	if (owners->pagemap) {
		pages = pm_pagemap_source(owners->pagemap);
		source.pages = &pages;
	}

	return pm_owner_sums_read(&source, sample->regions, &owners->sums, NULL) == 0;
}

enum watch_owners_state watch_owners_measure(struct watch_owners *owners,
                                             struct pm_process *process,
                                             const struct pm_sample *sample)
{
	bool old_runtimes = has_ranges(sample) && !sample->runtimes_fresh;

	if (sample->held_back)
		return WATCH_OWNERS_UNKNOWN;
	if (owners->known && !sample->fresh && !sample->runtimes_fresh)
		return WATCH_OWNERS_SAME;
	if (owners->known && (old_runtimes || sample->time < owners->due))
		return WATCH_OWNERS_UNKNOWN;

	double begin = clock_cpu_seconds();
	if (!measure(owners, process, sample))
		return WATCH_OWNERS_UNKNOWN;

	owners->due = sample->time + (clock_cpu_seconds() - begin) / cost_share;
	owners->known = true;
	return WATCH_OWNERS_NEW;
}

void watch_owners_deinit(struct watch_owners *owners)
{
	pm_pagemap_close(owners->pagemap);
	*owners = (struct watch_owners){ 0 };
}
