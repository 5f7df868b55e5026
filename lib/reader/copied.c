/* SPDX-License-Identifier: MIT */
#include "reader/copied.h"

#include <stddef.h>
#include <string.h>

#include "base/minmax.h"
#include "base/search.h"
#include "reader/region_rules.h"

/**
 * Returns whether a private region that is not writable may contain bytes that the process has
 * written. For a region of a core file, only PM_SIZE_RSS is known. For a region that was mapped
 * after smaps was read, no size is known; if it is not readable, it can be a large reservation of
 * addresses, and counts as unchanged.
 */
static bool is_changed(const struct pm_region *region)
{
	if (!pm_region_knows(region, PM_SIZE_ANONYMOUS))
		return pm_region_is_anonymous(region) &&
		       (region->bytes[PM_SIZE_RSS] > 0 ||
		        (!pm_region_knows(region, PM_SIZE_RSS) && region->perms & PM_PERM_READ));

	return region->bytes[PM_SIZE_ANONYMOUS] > 0 || region->bytes[PM_SIZE_SWAP] > 0 ||
	       region->bytes[PM_SIZE_PRIVATE_HUGETLB] > 0;
}

bool pm_region_is_copied(const struct pm_region *region)
{
	if (pm_region_forbidden(region) || pm_region_is_secret(region))
		return false;
	if (region->perms & (PM_PERM_WRITE | PM_PERM_MAYBE(PM_PERM_WRITE)))
		return true;
	if (region->perms & PM_PERM_SHARED)
		return pm_region_is_shared_memory(region);

	return is_changed(region);
}

/** Returns the first range of a list that ends after an address, or NULL. */
static const struct pm_range *range_after(const struct pm_range_list *list, uint64_t address)
{
	size_t index = pm_first_above(list->items, list->count, sizeof *list->items,
	                              offsetof(struct pm_range, end), address);
	return index < list->count ? &list->items[index] : NULL;
}

/**
 * Returns the number of bytes from an address on that the copy can provide: copied bytes, holes of
 * a core file, or zeros of untouched private anonymous memory.
 * @param bytes  receives the bytes
 */
static uint64_t provide(const struct pm_copied *copied, uint64_t address, const char **bytes)
{
	const struct pm_range *range = range_after(&copied->ranges, address);
	const struct pm_range *zeros = range_after(&copied->zeros, address);
	const struct pm_region *region = pm_regions_find(&copied->regions, address);
	if (!region)
		return 0;

	uint64_t size = region->end - address;
	bool hole = copied->holes && pm_region_is_copied(region) &&
	            pm_region_untouched(region).type == PM_SEGMENT_HOLE;

	if (range && range->start <= address)
		size = pm_min(size, range->end - address);
	else if (zeros && zeros->start <= address)
		size = pm_min(size, zeros->end - address);
	else if (!hole)
		return 0;
	else if (range)
		size = pm_min(size, range->start - address);

	*bytes = pm_copy_buffer_at(&copied->buffer, address, size);
	return *bytes ? size : 0;
}

static int copied_read(void *context, const struct pm_range *ranges, size_t count, void *buffer,
                       size_t *done, struct pm_error *error)
{
	const struct pm_copied *copied = context;
	char *to = buffer;

	*done = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t address = ranges[i].start;
		while (address < ranges[i].end) {
			const char *bytes;
			uint64_t size = provide(copied, address, &bytes);
			if (size == 0) {
				pm_error_set(error, PM_ERROR_UNREADABLE, 0,
				             "this address is not in the copy");
				if (error)
					error->address = address;
				return 0;
			}

			size = pm_min(size, ranges[i].end - address);
			memcpy(to, bytes, (size_t)size);
			to += size;
			address += size;
			*done += (size_t)size;
		}
	}

	return 0;
}

static void copied_close(void *context)
{
	(void)context;
}

struct pm_reader pm_copied_reader(struct pm_copied *copied)
{
	static const struct pm_reader_ops ops = { .read = copied_read, .close = copied_close };
	return (struct pm_reader){ .ops = &ops, .context = copied };
}

static int copied_walk(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit,
                       void *visitor, struct pm_error *error)
{
	const struct pm_copied *copied = context;
	(void)error;

	while (start < end) {
		const struct pm_range *range = range_after(&copied->ranges, start);
		const struct pm_range *zeros = range_after(&copied->zeros, start);
		bool zero = zeros && (!range || zeros->start < range->start);
		const struct pm_range *next = zero ? zeros : range;
		if (!next || next->start >= end)
			return 0;

		struct pm_page_run run = { .start = pm_max(start, next->start),
			                   .end = pm_min(end, next->end),
			                   .state = PM_PAGE_PRESENT };
		if (zero)
			run.state |= PM_PAGE_ZERO;

		int result = visit(visitor, &run);
		if (result != 0)
			return result;
		start = run.end;
	}

	return 0;
}

struct pm_page_source pm_copied_source(struct pm_copied *copied)
{
	return (struct pm_page_source){
		.walk = copied_walk,
		.context = copied,
		.untouched = copied->holes ? PM_SEGMENT_HOLE : PM_SEGMENT_MISSING,
	};
}
