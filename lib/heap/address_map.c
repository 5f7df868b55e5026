/* SPDX-License-Identifier: MIT */
#include "heap/address_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

/* An anonymous region directly after the data of a file is taken for its zero-initialised data if
 * it has at most this number of bytes. */
static const uint64_t bss_max = (uint64_t)1 << 30;

static bool is_file(const struct pm_region *region)
{
	return region->mapping[0] == '/';
}

/** Tests whether a region can be the zero-initialised data of the file that is mapped before it. */
static bool is_bss(const struct pm_region *region, const struct pm_address_range *before)
{
	if (!before || before->end != region->start || region->end - region->start > bss_max)
		return false;

	bool is_after_data = is_file(before->region) && (before->use & PM_ADDRESS_WRITABLE);
	return is_after_data && region->mapping[0] == '\0' && region->inode == 0;
}

static unsigned use_of(const struct pm_region *region, const struct pm_address_range *before)
{
	unsigned use = 0;

	if (is_file(region) || is_bss(region, before))
		use |= PM_ADDRESS_FILE;
	if (region->perms & PM_PERM_EXEC)
		use |= PM_ADDRESS_CODE;
	if (region->perms & PM_PERM_WRITE)
		use |= PM_ADDRESS_WRITABLE;

	if ((use & PM_ADDRESS_FILE) && (region->perms & PM_PERM_MAYBE(PM_PERM_EXEC)))
		use |= PM_ADDRESS_MAYBE_CODE;
	if (!(use & PM_ADDRESS_FILE) && (region->perms & PM_PERM_MAYBE(PM_PERM_WRITE)))
		use |= PM_ADDRESS_WRITABLE;

	return use;
}

static bool is_left_out(const struct pm_region *region)
{
	const unsigned access = PM_PERM_READ | PM_PERM_MAYBE(PM_PERM_READ) | PM_PERM_WRITE;
	const uint32_t device = PM_VM_IO | PM_VM_PFNMAP;

	/* [vdso], [vvar] and [vsyscall] */
	bool is_of_kernel = region->mapping[0] == '[' && region->mapping[1] == 'v';
	return !(region->perms & access) || (region->vm_flags & device) || is_of_kernel;
}

int pm_address_map_fill(struct pm_address_map *map, const struct pm_regions *regions,
                        struct pm_error *error)
{
	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		struct pm_address_range *before = NULL;

		if (map->count > 0)
			before = &map->ranges[map->count - 1];
		if (is_left_out(region))
			continue;

		unsigned use = use_of(region, before);
		/* Writable anonymous memory is one range, however many regions it has. */
		if (use == PM_ADDRESS_WRITABLE && before && before->use == use &&
		    before->end == region->start) {
			before->end = region->end;
			continue;
		}

		if (pm_array_reserve(&map->ranges, &map->capacity, map->count, 1,
		                     sizeof *map->ranges, error) < 0)
			return -1;
		map->ranges[map->count++] = (struct pm_address_range){
			.start = region->start,
			.end = region->end,
			.region = region,
			.use = use,
		};
	}

	return 0;
}

int pm_address_map_update(struct pm_address_map *map, const struct pm_regions *regions,
                          struct pm_error *error)
{
	struct pm_address_map now = { 0 };
	size_t kept = 0;

	if (pm_address_map_fill(&now, regions, error) < 0) {
		pm_address_map_deinit(&now);
		return -1;
	}

	for (size_t i = 0; i < now.count; i++) {
		struct pm_address_range range = now.ranges[i];
		const struct pm_address_range *old = pm_address_map_search(map, range.start);
		bool is_known = old && old->start == range.start && old->use == range.use;

		range.region = is_known ? old->region : NULL;
		if (range.region || !(range.use & PM_ADDRESS_FILE))
			now.ranges[kept++] = range;
	}

	now.count = kept;
	memset(now.recent, 0, sizeof now.recent);
	pm_address_map_deinit(map);
	*map = now;
	return 0;
}

void pm_address_map_deinit(struct pm_address_map *map)
{
	free(map->ranges);
	*map = (struct pm_address_map){ 0 };
}

const struct pm_address_range *pm_address_map_search(struct pm_address_map *map, uint64_t address)
{
	size_t above = pm_first_above(map->ranges, map->count, sizeof *map->ranges,
	                              offsetof(struct pm_address_range, start), address);
	if (above == 0 || address >= map->ranges[above - 1].end)
		return NULL;

	map->recent[pm_address_map_slot(address)] = (uint32_t)(above - 1);
	return &map->ranges[above - 1];
}
