/* SPDX-License-Identifier: MIT */
#include "heap/glibc_context.h"

#include <stdlib.h>

#include <procmem/maps.h>

#include "base/array.h"
#include "heap/grown.h"

int pm_glibc_break(struct pm_glibc *glibc, const struct pm_heap_break *found,
                   struct pm_error *error)
{
	struct pm_heap *heap = &glibc->heap->result;

	if (!heap->breaks) {
		heap->breaks = calloc(PM_HEAP_BREAKS_MAX, sizeof *heap->breaks);
		if (!heap->breaks)
			return pm_error_out_of_memory(error);
	}

	heap->breaks_total++;
	if (heap->break_count < PM_HEAP_BREAKS_MAX)
		heap->breaks[heap->break_count++] = *found;
	return pm_heap_index_skip(&glibc->heap->index, found->address,
	                          found->address + found->skipped, error);
}

int pm_glibc_damage(struct pm_glibc *glibc, uint32_t arena, uint64_t address, uint64_t previous,
                    const char *why, struct pm_error *error)
{
	const struct pm_heap_break found = {
		.address = address, .previous = previous, .arena = arena, .why = why
	};

	glibc->incomplete = true;
	glibc->heap->index.unseen = true;
	return pm_glibc_break(glibc, &found, error);
}

int pm_glibc_add_range(struct pm_glibc *glibc, uint64_t start, uint64_t end, struct pm_error *error)
{
	if (pm_array_reserve(&glibc->ranges, &glibc->range_capacity, glibc->range_count, 1,
	                     sizeof *glibc->ranges, error) < 0)
		return -1;

	glibc->ranges[glibc->range_count++] = (struct pm_range){ start, end };
	return 0;
}

/** Returns whether a region contains each address of a range. */
static bool is_covered(const struct pm_regions *regions, struct pm_range range)
{
	for (size_t i = pm_regions_index(regions, range.start);
	     range.start < range.end && i < regions->count; i++) {
		if (regions->items[i].start > range.start)
			return false;
		range.start = regions->items[i].end;
	}
	return range.start >= range.end;
}

int pm_glibc_grow(struct pm_glibc *glibc, uint64_t start, uint64_t end, struct pm_error *error)
{
	struct pm_heap_handle *heap = glibc->heap;
	const uint64_t mask = glibc->page - 1;

	if (!pm_glibc_can_change(glibc) || end > UINT64_MAX / 2)
		return 0;

	const struct pm_range range = { start & ~mask, (end + mask) & ~mask };
	if (is_covered(heap->source.regions, range))
		return 0;

	if (!heap->grown) {
		heap->grown = pm_heap_grown_copy(heap->source.regions, error);
		if (!heap->grown)
			return -1;
		heap->source.regions = heap->grown;
	}

	int result = pm_heap_grown_add(heap->grown, range, &glibc->growth, error);
	pm_heap_window_forget(heap->window);
	return result;
}

int pm_glibc_grow_all(struct pm_glibc *glibc, bool (*is_wanted)(const struct pm_region *region),
                      struct pm_error *error)
{
	struct pm_regions regions;
	int result = 0;

	pm_regions_init(&regions);
	/* Without the regions, the chunks are missing: this is reported later. */
	if (pm_maps_read(glibc->heap->source.process, PM_MAPS, &regions, NULL) < 0)
		regions.count = 0;

	for (size_t i = 0; result == 0 && i < regions.count; i++)
		if (is_wanted(&regions.items[i]))
			result = pm_glibc_grow(glibc, regions.items[i].start, regions.items[i].end,
			                       error);

	pm_regions_deinit(&regions);
	return result;
}

int pm_glibc_read_now(struct pm_glibc *glibc, uint64_t address, void *buffer, size_t size,
                      struct pm_error *error)
{
	struct pm_error reason = { 0 };
	size_t done = 0;

	if (pm_reader_read(glibc->heap->source.reader, address, buffer, size, &done, &reason) < 0) {
		if (error)
			*error = reason;
		return -1;
	}
	return done == size;
}

void pm_glibc_deinit(struct pm_glibc *glibc)
{
	free(glibc->arenas);
	free(glibc->ranges);
	free(glibc->tcaches);
	free(glibc->saved);
	free(glibc->runs);
}
