/* SPDX-License-Identifier: MIT */
#include "sample/inherit.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "region/pagemap.h"

struct pm_suspects pm_suspects_find(const struct pm_totals *was, const struct pm_totals *is)
{
	bool swapping = was->swap != is->swap;
	return (struct pm_suspects){
		.private = was->anon != is->anon || swapping,
		.file = was->file != is->file || was->shmem != is->shmem || swapping,
	};
}

/**
 * Whether it may be taken for the same sort of memory: what it is for does not change by growing.
 */
static bool is_alike(const struct pm_region *was, const struct pm_region *is)
{
	return was->perms == is->perms && was->inode == is->inode &&
	       was->device_major == is->device_major && was->device_minor == is->device_minor &&
	       was->deleted == is->deleted && strcmp(was->mapping, is->mapping) == 0;
}

static const char *take_text(struct pm_regions *regions, const char *text, size_t index)
{
	/* Neighbours are often alike. */
	const struct pm_region *previous = index > 0 ? &regions->items[index - 1] : NULL;
	if (previous && strcmp(previous->detail, text) == 0)
		return previous->detail;
	if (previous && strcmp(previous->why, text) == 0)
		return previous->why;
	return pm_regions_text(regions, text, strlen(text));
}

static int take_kind(struct pm_regions *regions, size_t index, const struct pm_region *was,
                     struct pm_error *error)
{
	struct pm_region *region = &regions->items[index];
	const char *detail = take_text(regions, was->detail, index),
		   *why = take_text(regions, was->why, index);
	if (!detail || !why)
		return pm_error_out_of_memory(error);

	region->kind = was->kind;
	region->proof = was->proof;
	region->thread = was->thread;
	region->arena = was->arena;
	region->block = was->block;
	region->detail = detail;
	region->why = why;

	return 0;
}

int pm_inherit(const struct pm_regions *before, struct pm_regions *regions, struct pm_error *error)
{
	for (size_t b = 0, i = 0; i < regions->count; i++) {
		struct pm_region *region = &regions->items[i];
		while (b < before->count && before->items[b].end <= region->start)
			b++;

		/* Of several that it overlaps the first one that is alike. */
		const struct pm_region *was = NULL;
		for (size_t at = b;
		     at < before->count && before->items[at].start < region->end && !was; at++)
			if (is_alike(&before->items[at], region))
				was = &before->items[at];

		if (!was)
			continue;

		bool stands = was->start == region->start && was->end == region->end &&
		              was->offset == region->offset;
		if (stands && !pm_region_knows(region, PM_SIZE_RSS)) {
			memcpy(region->bytes, was->bytes, sizeof region->bytes);
			region->known = was->known;
		}

		if (take_kind(regions, i, was, error) < 0)
			return -1;
	}

	return 0;
}

static bool is_suspect(struct pm_suspects suspects, const struct pm_region *region)
{
	if (suspects.all || !pm_region_knows(region, PM_SIZE_RSS))
		return true;
	bool has_file = region->inode != 0;
	return (suspects.file && has_file) ||
	       (suspects.private && !(region->perms & PM_PERM_SHARED));
}

int pm_suspects_measure(struct pm_pagemap *pagemap, struct pm_suspects suspects,
                        struct pm_regions *regions, const struct pm_page_observer *observer,
                        bool *exact, struct pm_error *error)
{
	bool *chosen = calloc(regions->count + 1, sizeof *chosen), some_exact = true, any = false;
	if (!chosen)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < regions->count; i++)
		any |= chosen[i] = is_suspect(suspects, &regions->items[i]);

	int result = any ? pm_pagemap_measure_chosen(pagemap, regions, chosen, observer,
	                                             &some_exact, error)
	                 : 0;
	free(chosen);
	if (!some_exact)
		*exact = false;
	return result;
}
