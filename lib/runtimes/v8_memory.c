/* SPDX-License-Identifier: MIT */
#include "runtimes/v8_memory.h"

enum { PAGE = 4096 };

bool pm_v8_memory_is_pointer(uint64_t word)
{
	return word % 8 == 0 && word >= PAGE && word < UINT64_C(1) << 56;
}

bool pm_v8_memory_is_private(const struct pm_region *region)
{
	return region->inode == 0 && !(region->perms & PM_PERM_SHARED) &&
	       pm_region_is_anonymous(region);
}

bool pm_v8_memory_is_code(const struct pm_regions *regions, uint64_t address)
{
	const struct pm_region *region = pm_regions_find(regions, address);
	return region && (region->perms & PM_PERM_EXEC);
}

bool pm_v8_memory_is_constant(const struct pm_regions *regions, uint64_t address)
{
	const struct pm_region *region = pm_regions_find(regions, address);
	return region && region->mapping[0] == '/' && address % 8 == 0;
}

bool pm_v8_memory_is_reserved(const struct pm_regions *regions, uint64_t start, uint64_t size)
{
	size_t i = pm_regions_index(regions, start);
	uint64_t at = start;

	for (; i < regions->count && regions->items[i].start <= at; i++) {
		if (!pm_v8_memory_is_private(&regions->items[i]))
			return false;
		at = regions->items[i].end;
		if (at - start >= size)
			return true;
	}

	return false;
}
