/* SPDX-License-Identifier: MIT */
#include "reader/fake_reader.h"

#include <inttypes.h>
#include <string.h>

#include "base/minmax.h"

/** Returns the range that contains an address, or NULL if there is none. */
static const struct pm_fake_range *find(const struct pm_fake_target *target, uint64_t address)
{
	for (size_t i = 0; i < target->count; i++)
		if (address >= target->ranges[i].address &&
		    address - target->ranges[i].address < target->ranges[i].size)
			return &target->ranges[i];
	return NULL;
}

static int fake_read(void *context, const struct pm_range *ranges, size_t count, void *buffer,
                     size_t *done, struct pm_error *error)
{
	struct pm_fake_target *target = context;
	char *to = buffer;

	*done = 0;
	__atomic_fetch_add(&target->calls, 1, __ATOMIC_RELAXED);
	if (target->gone)
		return pm_error_set(error, PM_ERROR_GONE, 0, "the fake target is gone");

	for (size_t i = 0; i < count; i++) {
		uint64_t address = ranges[i].start;
		while (address != ranges[i].end) {
			const struct pm_fake_range *range = find(target, address);
			if (!range) {
				pm_error_set(error, PM_ERROR_UNREADABLE, 0,
				             "the fake target has no memory at this address");
				if (error)
					error->address = address;
				return 0;
			}

			uint64_t skip = address - range->address;
			uint64_t size = pm_min(range->size - skip, ranges[i].end - address);

			memcpy(to, (const char *)range->bytes + skip, (size_t)size);
			to += size;
			address += size;
			*done += (size_t)size;
		}
	}

	return 0;
}

static void fake_close(void *context)
{
	(void)context;
}

struct pm_reader pm_fake_reader(struct pm_fake_target *target)
{
	static const struct pm_reader_ops ops = { .read = fake_read, .close = fake_close };
	return (struct pm_reader){ .ops = &ops, .context = target };
}
