/* SPDX-License-Identifier: MIT */
#include "reader/copied.h"

#include <stddef.h>
#include <string.h>

#include "base/minmax.h"
#include "base/search.h"
#include "reader/region_rules.h"

bool pm_region_is_copied(const struct pm_region *region)
{
	bool readable = region->perms & (PM_PERM_READ | PM_PERM_MAYBE(PM_PERM_READ));
	bool writable = region->perms & (PM_PERM_WRITE | PM_PERM_MAYBE(PM_PERM_WRITE));
	bool changed = region->bytes[PM_SIZE_ANONYMOUS] > 0 || region->bytes[PM_SIZE_SWAP] > 0;

	if (!readable || pm_region_forbidden(region) || pm_region_is_secret(region))
		return false;
	if (writable)
		return true;

	return changed && !(region->perms & (PM_PERM_SHARED | PM_PERM_EXEC));
}

/** Returns the index of the first copied range that ends after an address. */
static size_t copied_after(const struct pm_copied *copied, uint64_t address)
{
	return pm_first_above(copied->ranges.items, copied->ranges.count,
	                      sizeof *copied->ranges.items, offsetof(struct pm_range, end),
	                      address);
}

/**
 * Returns the number of bytes from an address on that the copy can provide: copied bytes, or zeros
 * of untouched private anonymous memory.
 * @param bytes  receives the bytes
 */
static uint64_t provide(const struct pm_copied *copied, uint64_t address, const char **bytes)
{
	size_t index = copied_after(copied, address);
	const struct pm_region *region = pm_regions_find(&copied->regions, address);
	if (!region)
		return 0;

	uint64_t size = region->end - address;
	bool found = index < copied->ranges.count && copied->ranges.items[index].start <= address;

	if (found)
		size = pm_min(size, copied->ranges.items[index].end - address);
	else if (!pm_region_is_copied(region) ||
	         pm_region_untouched(region).type != PM_SEGMENT_HOLE)
		return 0;
	else if (index < copied->ranges.count)
		size = pm_min(size, copied->ranges.items[index].start - address);

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
	const struct pm_range bounds = { start, end };
	(void)error;

	for (size_t i = copied_after(copied, start);
	     i < copied->ranges.count && copied->ranges.items[i].start < end; i++) {
		struct pm_range part = pm_range_clip(copied->ranges.items[i], bounds);
		struct pm_page_run run = { part.start, part.end, PM_PAGE_PRESENT };
		int result = visit(visitor, &run);
		if (result != 0)
			return result;
	}

	return 0;
}

struct pm_page_source pm_copied_source(struct pm_copied *copied)
{
	return (struct pm_page_source){ .walk = copied_walk,
		                        .context = copied,
		                        .untouched = PM_SEGMENT_HOLE };
}
