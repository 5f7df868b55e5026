/* SPDX-License-Identifier: MIT */
/* Reading a page that the target never touched would make the target grow. So page states are
 * fetched first, for a part of the address space at a time. */
#include "heap/presence.h"

#include <unistd.h>

#include "base/minmax.h"
#include "base/search.h"
#include "reader/region_rules.h"

void pm_heap_presence_init(struct pm_heap_presence *presence, const struct pm_heap_source *source)
{
	presence->source = source;
	presence->page_mask = (uint64_t)sysconf(_SC_PAGESIZE) - 1;
	presence->region = NULL;
	pm_heap_presence_forget(presence);
}

void pm_heap_presence_forget(struct pm_heap_presence *presence)
{
	presence->region = NULL;
	presence->known = (struct pm_range){ 0 };
	presence->count = 0;
}

static const struct pm_region *find_region(struct pm_heap_presence *presence, uint64_t address)
{
	const struct pm_region *region = presence->region;
	if (!region || !pm_range_contains(pm_region_bounds(region), address))
		region = presence->region = pm_regions_find(presence->source->regions, address);
	return region;
}

/** Returns the start of the first region above an address. No region contains this address. */
static uint64_t next_region(const struct pm_regions *regions, uint64_t address)
{
	size_t index = pm_regions_index(regions, address);
	return index < regions->count ? regions->items[index].start : UINT64_MAX;
}

static int run_state(const struct pm_page_run *run)
{
	if (run->state & PM_PAGE_GUARD)
		return PM_PRESENCE_NONE;
	if ((run->state & PM_PAGE_ZERO) && !(run->state & PM_PAGE_FILE))
		return PM_PRESENCE_ZEROS;

	return PM_PRESENCE_PAGES;
}

/** Keeps a run, and joins adjacent runs of the same state. */
static int keep_run(void *context, const struct pm_page_run *run)
{
	struct pm_heap_presence *presence = context;

	if (presence->count > 0) {
		struct pm_page_run *last = &presence->runs[presence->count - 1];

		if (last->end == run->start && run_state(last) == run_state(run)) {
			last->end = run->end;
			return 0;
		}
	}

	presence->runs[presence->count++] = *run;
	return presence->count == PM_PRESENCE_RUNS;
}

/** Fetches the page states from the page of an address on. */
static int fetch(struct pm_heap_presence *presence, const struct pm_region *region,
                 uint64_t address, uint64_t ahead, struct pm_error *error)
{
	const struct pm_page_source *pages = presence->source->pages;
	uint64_t start = address & ~presence->page_mask;
	uint64_t size = pm_max(ahead, presence->page_mask + 1) & ~presence->page_mask;
	uint64_t end = start + pm_min(size, region->end - start);

	pm_heap_presence_forget(presence);

	int result = pages->walk(pages->context, start, end, keep_run, presence, error);
	if (result < 0) {
		pm_heap_presence_forget(presence);
		return -1;
	}

	/* If the result is positive, there is no room for more runs. */
	if (result > 0)
		end = pm_min(end, presence->runs[presence->count - 1].end);
	presence->known = (struct pm_range){ start, end };
	return 0;
}

static int untouched_state(const struct pm_heap_presence *presence, const struct pm_region *region)
{
	if (presence->source->pages->untouched == PM_SEGMENT_MISSING)
		return PM_PRESENCE_NONE;

	bool zeros = pm_region_untouched(region).type == PM_SEGMENT_HOLE;
	return zeros ? PM_PRESENCE_ZEROS : PM_PRESENCE_NONE;
}

int pm_heap_presence_at(struct pm_heap_presence *presence, uint64_t address, uint64_t ahead,
                        uint64_t *until, struct pm_error *error)
{
	const struct pm_region *region = find_region(presence, address);
	if (!region) {
		*until = next_region(presence->source->regions, address);
		return PM_PRESENCE_NONE;
	}

	*until = region->end;
	if (presence->source->pages && pm_region_forbidden(region))
		return PM_PRESENCE_NONE;
	if (!presence->source->pages)
		return PM_PRESENCE_PAGES;

	if (!pm_range_contains(presence->known, address) &&
	    fetch(presence, region, address, ahead, error) < 0)
		return -1;

	size_t next = pm_first_above(presence->runs, presence->count, sizeof presence->runs[0],
	                             offsetof(struct pm_page_run, end), address);
	const struct pm_page_run *run = &presence->runs[next];
	*until = pm_min(*until, presence->known.end);
	if (next < presence->count && run->start <= address) {
		*until = pm_min(*until, run->end);
		return run_state(run);
	}

	if (next < presence->count)
		*until = pm_min(*until, run->start);
	return untouched_state(presence, region);
}

int pm_heap_presence_beyond(struct pm_heap_presence *presence, uint64_t address,
                            struct pm_error *error)
{
	const struct pm_heap_source *source = presence->source;
	const uint64_t page = address & ~presence->page_mask;

	if (!source->pages || source->stopped || pm_regions_find(source->regions, address))
		return PM_PRESENCE_NONE;

	pm_heap_presence_forget(presence);
	int result = source->pages->walk(source->pages->context, page,
	                                 page + presence->page_mask + 1, keep_run, presence, error);
	bool found = presence->count > 0 && run_state(&presence->runs[0]) == PM_PRESENCE_PAGES;

	pm_heap_presence_forget(presence);
	if (result < 0)
		return -1;
	return found ? PM_PRESENCE_PAGES : PM_PRESENCE_NONE;
}
