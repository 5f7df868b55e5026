/* SPDX-License-Identifier: MIT */
#include "sample/page_history.h"

#include <stdlib.h>

#include "base/array.h"

static const uint64_t smallest_gap = 4096;

/** Adds a range behind all others, or lengthens the last one. */
static int append(struct pm_page_ranges *ranges, uint64_t start, uint64_t end, uint64_t joinable,
                  struct pm_error *error)
{
	struct pm_region_range *last = ranges->count ? &ranges->items[ranges->count - 1] : NULL;
	if (last && start - last->range.end <= joinable) {
		last->range.end = end;
		return 0;
	}
	if (pm_array_reserve(&ranges->items, &ranges->capacity, ranges->count, 1,
	                     sizeof *ranges->items, error) < 0)
		return -1;

	ranges->items[ranges->count++] = (struct pm_region_range){ .range = { start, end },
		                                                   .region = SIZE_MAX };

	return 0;
}

/** Joins what is close together until there are few enough. */
static void coarsen(struct pm_page_history *history)
{
	struct pm_page_ranges *next = &history->next;
	while (next->count > PM_PAGE_HISTORY_MAX) {
		history->joinable = history->joinable ? history->joinable * 2 : smallest_gap;
		size_t kept = 0;
		for (size_t i = 1; i < next->count; i++) {
			if (next->items[i].range.start - next->items[kept].range.end <=
			    history->joinable)
				next->items[kept].range.end = next->items[i].range.end;
			else
				next->items[++kept] = next->items[i];
		}
		next->count = kept + 1;
	}
}

static int add_next(struct pm_page_history *history, uint64_t start, uint64_t end,
                    struct pm_error *error)
{
	if (append(&history->next, start, end, history->joinable, error) < 0)
		return -1;
	coarsen(history);
	return 0;
}

/** Takes over what was known up to an address. */
static int copy_up_to(struct pm_page_history *history, uint64_t address, struct pm_error *error)
{
	const struct pm_page_ranges *known = &history->known;
	for (;
	     history->copied < known->count && known->items[history->copied].range.start < address;
	     history->copied++) {
		const struct pm_region_range *range = &known->items[history->copied];
		uint64_t start = range->range.start > history->done ? range->range.start
		                                                    : history->done,
			 end = range->range.end < address ? range->range.end : address;
		if (start < end && add_next(history, start, end, error) < 0)
			return -1;
		if (range->range.end > address)
			break;
	}

	history->done = address;
	return 0;
}

void pm_page_history_begin(struct pm_page_history *history)
{
	history->next.count = history->appeared.count = 0;
	history->done = 0;
	history->copied = history->compared = 0;
	history->joinable = 0;
}

int pm_page_history_span(struct pm_page_history *history, uint64_t start, uint64_t end,
                         struct pm_error *error)
{
	if (copy_up_to(history, start, error) < 0)
		return -1;
	history->done = end;
	return 0;
}

int pm_page_history_run(struct pm_page_history *history, const struct pm_page_run *run,
                        struct pm_error *error)
{
	const struct pm_page_ranges *known = &history->known;

	/* A guard is no page, and the zero page has no content of its own. */
	if (!(run->state & (PM_PAGE_PRESENT | PM_PAGE_SWAPPED)) ||
	    run->state & (PM_PAGE_ZERO | PM_PAGE_GUARD))
		return 0;
	if (add_next(history, run->start, run->end, error) < 0)
		return -1;

	for (uint64_t at = run->start; at < run->end;) {
		while (history->compared < known->count &&
		       known->items[history->compared].range.end <= at)
			history->compared++;
		const struct pm_region_range *old = history->compared < known->count
		                                            ? &known->items[history->compared]
		                                            : NULL;
		uint64_t until = old && old->range.start < run->end ? old->range.start : run->end;
		if (until > at && append(&history->appeared, at, until, 0, error) < 0)
			return -1;
		at = old && old->range.start < run->end ? old->range.end : run->end;
	}

	return 0;
}

/** Cuts ranges at the borders of regions, and drops what lies in none. */
static int clip(const struct pm_page_ranges *ranges, const struct pm_regions *regions,
                struct pm_page_ranges *clipped, struct pm_error *error)
{
	clipped->count = 0;
	for (size_t i = 0, region = 0; i < ranges->count; i++) {
		const struct pm_region_range *range = &ranges->items[i];
		while (region < regions->count && regions->items[region].end <= range->range.start)
			region++;

		for (size_t in = region;
		     in < regions->count && regions->items[in].start < range->range.end; in++) {
			uint64_t start = range->range.start, end = range->range.end;
			start = start > regions->items[in].start ? start : regions->items[in].start;
			end = end < regions->items[in].end ? end : regions->items[in].end;
			if (pm_array_reserve(&clipped->items, &clipped->capacity, clipped->count, 1,
			                     sizeof *clipped->items, error) < 0)
				return -1;
			clipped->items[clipped->count++] =
				(struct pm_region_range){ .range = { start, end }, .region = in };
		}
	}

	return 0;
}

static void exchange(struct pm_page_ranges *one, struct pm_page_ranges *other)
{
	struct pm_page_ranges kept = *one;
	*one = *other;
	*other = kept;
}

int pm_page_history_end(struct pm_page_history *history, const struct pm_regions *regions,
                        struct pm_error *error)
{
	if (copy_up_to(history, UINT64_MAX, error) < 0 ||
	    clip(&history->next, regions, &history->known, error) < 0)
		return -1;
	return pm_page_history_fit(history, regions, error);
}

int pm_page_history_fit(struct pm_page_history *history, const struct pm_regions *regions,
                        struct pm_error *error)
{
	if (clip(&history->appeared, regions, &history->next, error) < 0)
		return -1;
	exchange(&history->appeared, &history->next);
	return 0;
}

void pm_page_history_deinit(struct pm_page_history *history)
{
	free(history->known.items);
	free(history->next.items);
	free(history->appeared.items);
	*history = (struct pm_page_history){ 0 };
}
