/* SPDX-License-Identifier: MIT */
/*
 * Keeps three sorted lists of ranges of pages: `known`, the pages found by the last measurement;
 * `next`, the pages found by the measurement in progress; and `appeared`, the pages in `next` that
 * are not in `known`. Where the measurement in progress omits addresses, the ranges of `known` are
 * copied to `next`.
 */
#include "sample/page_history.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/minmax.h"

/*
 * If there are too many ranges, ranges are joined first across gaps of up to this number of bytes
 * (one page), then across larger gaps.
 */
static const uint64_t smallest_gap = 4096;

/**
 * Appends a range to a list. If the gap after the last range of the list is at most `joinable`
 * bytes, extends the last range instead.
 */
static int append(struct pm_page_ranges *ranges, uint64_t start, uint64_t end, uint64_t joinable,
                  struct pm_error *error)
{
	struct pm_region_range *last = NULL;

	if (ranges->count > 0)
		last = &ranges->items[ranges->count - 1];
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

/**
 * Joins ranges of `next` across larger and larger gaps until at most PM_PAGE_HISTORY_MAX are left.
 */
static void coarsen(struct pm_page_history *history)
{
	struct pm_page_ranges *next = &history->next;

	while (next->count > PM_PAGE_HISTORY_MAX) {
		size_t kept = 0;

		history->joinable = pm_max(history->joinable * 2, smallest_gap);
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

/** Copies the ranges of `known` from the address `done` up to `address` to `next`. */
static int copy_up_to(struct pm_page_history *history, uint64_t address, struct pm_error *error)
{
	const struct pm_page_ranges *known = &history->known;

	for (; history->copied < known->count; history->copied++) {
		struct pm_range range = known->items[history->copied].range;

		if (range.start >= address)
			break;

		uint64_t start = pm_max(range.start, history->done);
		uint64_t end = pm_min(range.end, address);
		if (start < end && add_next(history, start, end, error) < 0)
			return -1;
		if (range.end > address)
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

/** Adds those parts of a range that are not in `known` to `appeared`. */
static int add_appeared(struct pm_page_history *history, uint64_t start, uint64_t end,
                        struct pm_error *error)
{
	const struct pm_page_ranges *known = &history->known;

	for (uint64_t at = start; at < end;) {
		while (history->compared < known->count &&
		       known->items[history->compared].range.end <= at)
			history->compared++;

		if (history->compared == known->count ||
		    known->items[history->compared].range.start >= end)
			return append(&history->appeared, at, end, 0, error);

		struct pm_range old = known->items[history->compared].range;
		if (old.start > at && append(&history->appeared, at, old.start, 0, error) < 0)
			return -1;
		at = old.end;
	}

	return 0;
}

int pm_page_history_run(struct pm_page_history *history, const struct pm_page_run *run,
                        struct pm_error *error)
{
	/*
	 * Ignore guards, because they have no page, and the zero page, because it uses no memory of
	 * the process.
	 */
	if (!(run->state & (PM_PAGE_PRESENT | PM_PAGE_SWAPPED)) ||
	    run->state & (PM_PAGE_ZERO | PM_PAGE_GUARD))
		return 0;

	if (add_next(history, run->start, run->end, error) < 0)
		return -1;
	return add_appeared(history, run->start, run->end, error);
}

/**
 * Splits ranges at the borders of regions, drops the parts outside of regions, and sets the index
 * of the region of each part.
 * @param clipped  receives the parts; its former contents are dropped
 */
static int clip(const struct pm_page_ranges *ranges, const struct pm_regions *regions,
                struct pm_page_ranges *clipped, struct pm_error *error)
{
	clipped->count = 0;

	for (size_t i = 0, region = 0; i < ranges->count; i++) {
		struct pm_range range = ranges->items[i].range;

		while (region < regions->count && regions->items[region].end <= range.start)
			region++;

		for (size_t in = region;
		     in < regions->count && regions->items[in].start < range.end; in++) {
			if (pm_array_reserve(&clipped->items, &clipped->capacity, clipped->count, 1,
			                     sizeof *clipped->items, error) < 0)
				return -1;
			const struct pm_region *target = &regions->items[in];
			clipped->items[clipped->count++] = (struct pm_region_range){
				.range = pm_range_clip(range, (struct pm_range){ target->start,
				                                                 target->end }),
				.region = in,
			};
		}
	}

	return 0;
}

static void swap(struct pm_page_ranges *one, struct pm_page_ranges *other)
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
	swap(&history->appeared, &history->next);
	return 0;
}

void pm_page_history_deinit(struct pm_page_history *history)
{
	free(history->known.items);
	free(history->next.items);
	free(history->appeared.items);
	*history = (struct pm_page_history){ 0 };
}
