/* SPDX-License-Identifier: MIT */
#include "watch/peek/pages.h"

#include <stdlib.h>
#include <unistd.h>

#include <procmem/read_plan.h>

#include "base/alloc.h"

enum {
	SAMPLE_BLOCK =
		64 *
		1024, /* where pages are left out, pieces of so many bytes are looked through */
	EDGE = 16,    /* bytes before what text may begin in: whether it began even earlier */
	BEHIND = 512, /* bytes of a text that are kept, PEEK_STRING_MAX, and its last character */
};

static void add_range(struct peek_pages *pages, struct pm_region_range range)
{
	if (pages->count == pages->capacity) {
		pages->capacity = pages->capacity ? pages->capacity * 2 : 64;
		pages->ranges = alloc_array(pages->ranges, pages->capacity, sizeof *pages->ranges);
	}
	pages->ranges[pages->count++] = range;
}

void peek_pages_add(struct peek_pages *pages, uint64_t start, uint64_t end,
                    const struct pm_regions *regions)
{
	for (size_t i = pm_regions_index(regions, start);
	     i < regions->count && regions->items[i].start < end; i++) {
		const struct pm_region *region = &regions->items[i];
		struct pm_region_range range = {
			.range.start = start > region->start ? start : region->start, .region = i
		};
		range.range.end = end < region->end ? end : region->end;
		add_range(pages, range);
		pages->bytes += range.range.end - range.range.start;
	}
}

void peek_pages_thin(struct peek_pages *pages, uint64_t most)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), block = SAMPLE_BLOCK;

	if (pages->bytes <= most)
		return;

	/* At least one block of all. */
	most = most > block ? most : block;

	uint64_t stride = (uint64_t)((double)block / (double)most * (double)pages->bytes);
	stride -= stride % page;
	stride = stride > block ? stride : block;

	struct peek_pages thin = { .bytes = pages->bytes };
	uint64_t offset = 0; /* in all ranges together */
	for (size_t i = 0; i < pages->count; i++) {
		const struct pm_region_range *range = &pages->ranges[i];
		for (uint64_t at = range->range.start; at < range->range.end;) {
			uint64_t in = (offset + (at - range->range.start)) % stride,
				 size = in < block ? block - in : stride - in;
			uint64_t end = range->range.end - at < size ? range->range.end : at + size;
			if (in < block)
				add_range(&thin,
				          (struct pm_region_range){ .range = { at, end },
				                                    .region = range->region });
			at = end;
		}
		offset += range->range.end - range->range.start;
	}

	free(pages->ranges);
	*pages = thin;
}

/** Adds a range behind all others; what overlaps or touches the last one lengthens that. */
static void join(struct peek_pages *pages, uint64_t start, uint64_t end, size_t region)
{
	struct pm_region_range *last = pages->count > 0 ? &pages->ranges[pages->count - 1] : NULL;
	if (!last || last->region != region || start > last->range.end)
		add_range(pages,
		          (struct pm_region_range){ .range = { start, end }, .region = region });
	else if (end > last->range.end)
		last->range.end = end;
}

/** Bytes of a region before an address, so many at the most. */
static uint64_t room_before(const struct pm_region *region, uint64_t address, uint64_t most)
{
	return address - region->start < most ? address - region->start : most;
}

static uint64_t room_behind(const struct pm_region *region, uint64_t address, uint64_t most)
{
	return region->end - address < most ? region->end - address : most;
}

void peek_pages_widen(const struct peek_pages *pages, const struct pm_regions *regions,
                      struct peek_pages *wide)
{
	uint64_t most = peek_before() + EDGE;

	*wide = (struct peek_pages){ .bytes = pages->bytes };
	for (size_t i = 0; i < pages->count; i++) {
		const struct pm_region_range *range = &pages->ranges[i];
		const struct pm_region *region = &regions->items[range->region];
		uint64_t before = room_before(region, range->range.start, most),
			 behind = room_behind(region, range->range.end, BEHIND);

		/* What one region lacks the next one may have: allocators and mprotect(2) split
		 * mappings. */
		if (before < most && range->region > 0 && pm_region_continues(region - 1, region))
			join(wide,
			     region->start - room_before(region - 1, region->start, most - before),
			     region->start, range->region - 1);

		join(wide, range->range.start - before, range->range.end + behind, range->region);
		if (behind < BEHIND && range->region + 1 < regions->count &&
		    pm_region_continues(region, region + 1))
			join(wide, region->end,
			     region->end + room_behind(region + 1, region->end, BEHIND - behind),
			     range->region + 1);
	}
}

const struct pm_region_range *peek_pages_find(const struct peek_pages *pages, uint64_t address)
{
	size_t low = 0, high = pages->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (pages->ranges[middle].range.end <= address)
			low = middle + 1;
		else
			high = middle;
	}

	return low < pages->count ? &pages->ranges[low] : NULL;
}

uint64_t peek_before(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

void peek_pages_deinit(struct peek_pages *pages)
{
	free(pages->ranges);
	*pages = (struct peek_pages){ 0 };
}
