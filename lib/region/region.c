/* SPDX-License-Identifier: MIT */
#include <procmem/region.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "region/texts.h"

void pm_regions_init(struct pm_regions *regions)
{
	*regions = (struct pm_regions){ 0 };
}

void pm_regions_deinit(struct pm_regions *regions)
{
	free(regions->items);
	pm_texts_destroy(regions->texts);
	pm_regions_init(regions);
}

void pm_regions_clear(struct pm_regions *regions)
{
	regions->count = 0;
	pm_texts_clear(regions->texts);
}

const char *pm_regions_text(struct pm_regions *regions, const char *text, size_t length)
{
	return pm_texts_add(&regions->texts, text, length);
}

/** Copies a text, unless the region before has the same: neighbours often map the same file. */
static const char *share_or_copy(struct pm_regions *regions, const char *previous, const char *text)
{
	if (!text || text[0] == '\0')
		return "";
	if (previous && strcmp(previous, text) == 0)
		return previous;
	return pm_regions_text(regions, text, strlen(text));
}

int pm_regions_append(struct pm_regions *regions, const struct pm_region *region,
                      struct pm_error *error)
{
	if (pm_array_reserve(&regions->items, &regions->capacity, regions->count, 1,
	                     sizeof *regions->items, error) < 0)
		return -1;

	const struct pm_region *previous = regions->count ? &regions->items[regions->count - 1]
	                                                  : NULL;
	struct pm_region copy = *region;
	copy.mapping = share_or_copy(regions, previous ? previous->mapping : NULL, region->mapping);
	copy.why = share_or_copy(regions, previous ? previous->why : NULL, region->why);
	if (!copy.mapping || !copy.why)
		return pm_error_out_of_memory(error);

	if (previous && pm_detail_equal(&previous->detail, &region->detail))
		copy.detail = previous->detail;
	else if (pm_detail_copy(&region->detail, regions, &copy.detail, error) < 0)
		return -1;

	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): pm_array_reserve() made room,
	 * through memcpy, which is not followed. */
	regions->items[regions->count++] = copy;

	return 0;
}

size_t pm_regions_index(const struct pm_regions *regions, uint64_t address)
{
	return pm_first_above(regions->items, regions->count, sizeof *regions->items,
	                      offsetof(struct pm_region, end), address);
}

struct pm_region *pm_regions_find(const struct pm_regions *regions, uint64_t address)
{
	size_t index = pm_regions_index(regions, address);
	if (index == regions->count || regions->items[index].start > address)
		return NULL;
	return &regions->items[index];
}

bool pm_region_is_anonymous(const struct pm_region *region)
{
	return region->mapping[0] == '\0' || strncmp(region->mapping, "[anon:", 6) == 0;
}

void pm_format_perms(unsigned perms, char *text)
{
	static const char set[] = "rwxs", clear[] = "---p";
	memcpy(text, clear, sizeof clear);
	for (unsigned i = 0; i < sizeof set - 1; i++) {
		if (perms & 1u << i)
			text[i] = set[i];
		else if (perms & PM_PERM_MAYBE(1u << i))
			text[i] = '?';
	}
}
