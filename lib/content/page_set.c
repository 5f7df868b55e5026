/* SPDX-License-Identifier: MIT */
#include "content/page_set.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <procmem/minmax.h>
#include <procmem/range.h>
#include <procmem/read_plan.h>

#include "base/array.h"
#include "base/search.h"

enum {
	SAMPLE_BLOCK = 64 * 1024, /* bytes of a block that pm_page_set_thin() keeps */
	EDGE = 16,   /* additional bytes before the margin, which show whether a text starts before
	                the margin */
	AFTER = 512, /* bytes after a range: more than the kept part of a text (PM_PAGE_STRING_MAX)
	                and its last character */
};

static int add_range(struct pm_page_set *set, struct pm_range range, size_t region,
                     struct pm_error *error)
{
	if (pm_array_reserve(&set->ranges, &set->capacity, set->count, 1, sizeof *set->ranges,
	                     error) < 0)
		return -1;

	set->ranges[set->count++] = (struct pm_region_range){ range, region };
	return 0;
}

static struct pm_range range_of(const struct pm_region *region)
{
	return (struct pm_range){ region->start, region->end };
}

int pm_page_set_add(struct pm_page_set *set, struct pm_range range,
                    const struct pm_regions *regions, struct pm_error *error)
{
	size_t count = set->count;
	uint64_t bytes = 0;

	if (pm_range_size(range) == 0)
		return 0;

	for (size_t i = pm_regions_index(regions, range.start);
	     i < regions->count && regions->items[i].start < range.end; i++) {
		struct pm_range part = pm_range_clip(range, range_of(&regions->items[i]));

		if (add_range(set, part, i, error) < 0) {
			set->count = count;
			return -1;
		}
		bytes += pm_range_size(part);
	}

	set->bytes += bytes;
	return 0;
}

/**
 * Adds those parts of a range to `thin` that are in the blocks to keep.
 * @param thin    the new set
 * @param whole   a range of the old set
 * @param offset  number of bytes of the old set in the ranges before `whole`
 * @param stride  distance between the starts of two blocks, in bytes of the old set
 */
static int add_blocks(struct pm_page_set *thin, const struct pm_region_range *whole,
                      uint64_t offset, uint64_t stride, struct pm_error *error)
{
	const struct pm_range *range = &whole->range;

	for (uint64_t at = range->start; at < range->end;) {
		uint64_t in_stride = (offset + (at - range->start)) % stride;
		bool kept = in_stride < SAMPLE_BLOCK;
		uint64_t left = (kept ? SAMPLE_BLOCK : stride) - in_stride;
		struct pm_range part = { at, at + pm_min(left, range->end - at) };

		if (kept && add_range(thin, part, whole->region, error) < 0)
			return -1;
		at = part.end;
	}

	return 0;
}

/**
 * Returns the distance between the starts of two blocks, in bytes of the set, at which the blocks
 * of the whole set have about `max` bytes together.
 */
static uint64_t stride_for(const struct pm_page_set *set, uint64_t max)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	double blocks = (double)pm_max(max, SAMPLE_BLOCK) / SAMPLE_BLOCK;
	uint64_t stride = (uint64_t)((double)set->bytes / blocks);

	return pm_max(stride - stride % page, SAMPLE_BLOCK);
}

int pm_page_set_thin(struct pm_page_set *set, uint64_t max, struct pm_error *error)
{
	if (set->bytes <= max)
		return 0;

	struct pm_page_set thin = { .bytes = set->bytes };
	uint64_t stride = stride_for(set, max);
	uint64_t offset = 0;

	for (size_t i = 0; i < set->count; i++) {
		if (add_blocks(&thin, &set->ranges[i], offset, stride, error) < 0) {
			pm_page_set_deinit(&thin);
			return -1;
		}
		offset += pm_range_size(set->ranges[i].range);
	}

	free(set->ranges);
	*set = thin;
	return 0;
}

/**
 * Adds a range to the end of a set. If the range overlaps or continues the last range of the set,
 * and both are in the same region, extends the last range instead.
 * @param range  a range that does not start before the last range of the set
 */
static int join(struct pm_page_set *set, struct pm_range range, size_t region,
                struct pm_error *error)
{
	struct pm_region_range *last = set->count > 0 ? &set->ranges[set->count - 1] : NULL;

	if (!last || last->region != region || range.start > last->range.end)
		return add_range(set, range, region, error);

	last->range.end = pm_max(last->range.end, range.end);
	return 0;
}

/** Adds a range of a set to `wide`, together with the bytes around the range. */
static int add_widened(struct pm_page_set *wide, const struct pm_region_range *narrow,
                       const struct pm_regions *regions, struct pm_error *error)
{
	size_t index = narrow->region;
	const struct pm_region *region = &regions->items[index];
	uint64_t before = pm_min(narrow->range.start, pm_page_set_margin() + EDGE);
	struct pm_range range = { narrow->range.start - before, narrow->range.end + AFTER };

	/* Allocators and mprotect(2) split mappings, so a text may cross the border of two
	 * regions. */
	if (range.start < region->start && index > 0 && pm_region_continues(region - 1, region) &&
	    join(wide, pm_range_clip(range, range_of(region - 1)), index - 1, error) < 0)
		return -1;

	if (join(wide, pm_range_clip(range, range_of(region)), index, error) < 0)
		return -1;

	if (range.end > region->end && index + 1 < regions->count &&
	    pm_region_continues(region, region + 1))
		return join(wide, pm_range_clip(range, range_of(region + 1)), index + 1, error);

	return 0;
}

int pm_page_set_widen(const struct pm_page_set *set, const struct pm_regions *regions,
                      struct pm_page_set *wide, struct pm_error *error)
{
	struct pm_page_set widened = { .bytes = set->bytes };

	for (size_t i = 0; i < set->count; i++)
		if (add_widened(&widened, &set->ranges[i], regions, error) < 0) {
			pm_page_set_deinit(&widened);
			return -1;
		}

	*wide = widened;
	return 0;
}

const struct pm_region_range *pm_page_set_find(const struct pm_page_set *set, uint64_t address)
{
	size_t first = pm_first_above(set->ranges, set->count, sizeof *set->ranges,
	                              offsetof(struct pm_region_range, range.end), address);
	return first < set->count ? &set->ranges[first] : NULL;
}

uint64_t pm_page_set_margin(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

void pm_page_set_deinit(struct pm_page_set *set)
{
	free(set->ranges);
	*set = (struct pm_page_set){ 0 };
}
