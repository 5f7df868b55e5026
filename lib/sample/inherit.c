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
 * Checks whether two regions have the same file, name and permissions. Sizes and addresses are not
 * compared, because a region that grows or shrinks keeps its kind.
 */
static bool same_backing(const struct pm_region *was, const struct pm_region *is)
{
	return was->perms == is->perms && was->inode == is->inode &&
	       was->device_major == is->device_major && was->device_minor == is->device_minor &&
	       was->deleted == is->deleted && strcmp(was->mapping, is->mapping) == 0;
}

/**
 * Copies kind, proof, owner, thread, arena and details of the region `was` to the region at
 * `index`. If the reason or the details are the same as those of the preceding region in the list,
 * uses those instead of another copy.
 */
static int copy_kind(struct pm_regions *regions, size_t index, const struct pm_region *was,
                     struct pm_error *error)
{
	static const struct pm_region none = { .why = "" };
	const struct pm_region *previous = index > 0 ? &regions->items[index - 1] : &none;
	struct pm_region *region = &regions->items[index];
	const char *why = previous->why;

	if (strcmp(previous->why, was->why) != 0)
		why = pm_regions_text(regions, was->why, strlen(was->why));
	if (!why)
		return pm_error_out_of_memory(error);

	if (pm_detail_equal(&previous->detail, &was->detail))
		region->detail = previous->detail;
	else if (pm_regions_copy_detail(regions, &was->detail, &region->detail, error) < 0)
		return -1;

	region->kind = was->kind;
	region->proof = was->proof;
	region->thread = was->thread;
	region->arena = was->arena;
	region->owner = was->owner;
	region->owner_proof = was->owner_proof;
	region->owner_mixed = was->owner_mixed;
	region->why = why;

	return 0;
}

/**
 * Finds the first region of the previous list that overlaps a region and has the same backing.
 * @param from  index of the first region of the previous list that ends after the start of `region`
 * @return      the region of the previous list, or NULL if there is none
 */
static const struct pm_region *find_former(const struct pm_regions *before, size_t from,
                                           const struct pm_region *region)
{
	for (size_t i = from; i < before->count && before->items[i].start < region->end; i++)
		if (same_backing(&before->items[i], region))
			return &before->items[i];
	return NULL;
}

int pm_inherit(const struct pm_regions *before, struct pm_regions *regions, struct pm_error *error)
{
	for (size_t b = 0, i = 0; i < regions->count; i++) {
		struct pm_region *region = &regions->items[i];

		while (b < before->count && before->items[b].end <= region->start)
			b++;

		const struct pm_region *was = find_former(before, b, region);
		if (!was)
			continue;

		bool unchanged = was->start == region->start && was->end == region->end &&
		                 was->offset == region->offset;
		if (unchanged && !pm_region_knows(region, PM_SIZE_RSS)) {
			memcpy(region->bytes, was->bytes, sizeof region->bytes);
			region->known = was->known;
		}

		if (copy_kind(regions, i, was, error) < 0)
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
	bool *chosen = calloc(regions->count + 1, sizeof *chosen);
	bool some_exact = true, any = false;
	int result = 0;

	if (!chosen)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < regions->count; i++) {
		chosen[i] = is_suspect(suspects, &regions->items[i]);
		any |= chosen[i];
	}

	if (any)
		result = pm_pagemap_measure_chosen(pagemap, regions, chosen, observer, &some_exact,
		                                   error);
	free(chosen);
	if (!some_exact)
		*exact = false;

	return result;
}
