/* SPDX-License-Identifier: MIT */
#include "heap/grown.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"

struct pm_regions *pm_heap_grown_copy(const struct pm_regions *regions, struct pm_error *error)
{
	struct pm_regions *grown = calloc(1, sizeof *grown);

	if (!grown || pm_array_reserve(&grown->items, &grown->capacity, 0, regions->count + 1,
	                               sizeof *grown->items, NULL) < 0) {
		free(grown);
		pm_error_out_of_memory(error);
		return NULL;
	}

	if (regions->count > 0)
		memcpy(grown->items, regions->items, regions->count * sizeof *grown->items);
	grown->count = regions->count;
	return grown;
}

/** Returns whether the brk heap, or a heap of an arena, can be in a region. */
static bool is_private_data(const struct pm_region *region)
{
	return region->inode == 0 && (region->perms & PM_PERM_WRITE) &&
	       !(region->perms & PM_PERM_SHARED) && region->mapping[0] != '/';
}

/**
 * Adds memory between two regions: extends the first one if possible.
 * @param index  index of the region after the memory
 */
static int fill(struct pm_regions *grown, size_t index, struct pm_range gap, struct pm_error *error)
{
	const struct pm_region added = {
		.start = gap.start,
		.end = gap.end,
		.vm_flags = PM_VM_KNOWN | PM_VM_READ,
		.perms = PM_PERM_READ | PM_PERM_WRITE,
		.mapping = "",
		.why = "",
	};

	if (index > 0 && grown->items[index - 1].end == gap.start &&
	    is_private_data(&grown->items[index - 1])) {
		grown->items[index - 1].end = gap.end;
		return 0;
	}

	if (pm_array_reserve(&grown->items, &grown->capacity, grown->count, 1, sizeof *grown->items,
	                     error) < 0)
		return -1;
	memmove(&grown->items[index + 1], &grown->items[index],
	        (grown->count - index) * sizeof *grown->items);
	grown->items[index] = added;
	grown->count++;
	return 0;
}

int pm_heap_grown_add(struct pm_regions *grown, struct pm_range range, uint64_t *left,
                      struct pm_error *error)
{
	while (range.start < range.end) {
		size_t index = pm_regions_index(grown, range.start);
		const struct pm_region *next = &grown->items[index];
		struct pm_range gap = range;

		if (index < grown->count && next->start <= range.start) {
			range.start = next->end;
			continue;
		}
		if (index < grown->count)
			gap.end = pm_min(gap.end, next->start);
		if (pm_range_size(gap) > *left)
			return 0;

		*left -= pm_range_size(gap);
		range.start = gap.end;
		if (fill(grown, index, gap, error) < 0)
			return -1;
	}

	return 0;
}

void pm_heap_grown_free(struct pm_regions *grown)
{
	if (grown)
		free(grown->items);
	free(grown);
}
