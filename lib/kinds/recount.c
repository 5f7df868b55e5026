/* SPDX-License-Identifier: MIT */
#include "kinds/recount.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "kinds/context.h"
#include "kinds/malloc_headers.h"
#include "kinds/rules.h"

/*
 * REGIONS_MAX: maximum number of regions to examine. CHUNKS_MAX: a region is omitted if more chunks
 * were found in it before. Both bound the time of a sample; counting a chunk takes about a
 * microsecond.
 */
enum { REGIONS_MAX = 16, CHUNKS_MAX = 4096 };

static bool must_recount(const struct pm_regions *before, const struct pm_region *region)
{
	bool writable = (region->perms & (PM_PERM_WRITE | PM_PERM_EXEC | PM_PERM_SHARED)) ==
	                PM_PERM_WRITE;
	if (region->kind != PM_KIND_MALLOC &&
	    (region->kind != PM_KIND_ANON || !writable || region->inode != 0))
		return false;

	const struct pm_region *was = pm_regions_find(before, region->start);
	if (was && was->start == region->start && was->end == region->end)
		return false;

	return region->detail.type != PM_DETAIL_CHUNKS || region->detail.count <= CHUNKS_MAX;
}

bool pm_kinds_must_recount(const struct pm_regions *regions, const struct pm_regions *before)
{
	for (size_t i = 0; i < regions->count; i++)
		if (must_recount(before, &regions->items[i]))
			return true;
	return false;
}

/**
 * Copies the regions to examine to a list. Also copies the highest region of the program, whose
 * address shows whether this is a 32-bit program.
 *
 * @param regions  the regions
 * @param before   the regions of the previous sample
 * @param some     receives the copies
 * @param chosen   receives the index in `regions` of each copy
 * @param many     receives true if more than REGIONS_MAX regions are to be examined; the list is
 *                 then incomplete
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
static int choose(const struct pm_regions *regions, const struct pm_regions *before,
                  struct pm_regions *some, size_t *chosen, bool *many, struct pm_error *error)
{
	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		bool wanted = must_recount(before, region);
		if (wanted && some->count == REGIONS_MAX) {
			*many = true;
			return 0;
		}

		/* The highest region may be [vsyscall], which is not memory of the program. */
		bool highest = i + 1 == regions->count || regions->items[i + 1].start >> 63;
		if (!wanted && !(highest && region->start >> 63 == 0))
			continue;

		chosen[some->count] = i;
		if (pm_regions_append(some, region, error) < 0)
			return -1;
	}

	return 0;
}

/**
 * Copies the new count of chunks, with reason and proof, to a region of kind malloc. Does nothing
 * if the region is of another kind, if no chunks were counted, or if the detail is the same as
 * before.
 */
static int adopt(struct pm_regions *regions, struct pm_region *region,
                 const struct pm_region *counted, struct pm_error *error)
{
	if (region->kind != PM_KIND_MALLOC || counted->kind != PM_KIND_MALLOC ||
	    pm_detail_equal(&region->detail, &counted->detail))
		return 0;

	const char *why = pm_regions_text(regions, counted->why, strlen(counted->why));
	if (!why)
		return pm_error_out_of_memory(error);

	region->why = why;
	region->proof = counted->proof;
	return pm_regions_copy_detail(regions, &counted->detail, &region->detail, error);
}

/**
 * Counts the malloc chunks in the regions.
 *
 * @param some      the regions
 * @param resident  resident bytes of the process; only regions that hold a large part of these
 *                  bytes are searched
 * @param evidence  the evidence
 * @param clear     receives for each region whether its first bytes were read; if so, the absence
 *                  of chunks is certain
 * @param error     PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
static int count_chunks(struct pm_regions *some, uint64_t resident,
                        const struct pm_kinds_evidence *evidence, bool *clear,
                        struct pm_error *error)
{
	struct pm_kinds_context context;
	int result = pm_kinds_context_init(&context, some, evidence, error);

	context.resident = resident;
	if (result == 0)
		result = pm_malloc_headers_read(&context, error);
	if (result == 0)
		result = pm_rule_malloc_chunks(&context, error);
	if (result == 0)
		result = pm_rule_malloc_search(&context, error);
	if (result == 0 && context.out_of_memory)
		result = pm_error_out_of_memory(error);

	for (size_t i = 0; result == 0 && i < some->count; i++)
		clear[i] = pm_malloc_header_was_read(&context, &some->items[i]);

	pm_kinds_context_deinit(&context);
	return result;
}

/**
 * Returns whether the count proves that the kind of a region is wrong: chunks were found in a
 * region of kind anon, or no chunks in a region of kind malloc whose first bytes were read.
 */
static bool proves_wrong(const struct pm_regions *regions, const struct pm_regions *before,
                         const struct pm_regions *some, const size_t *chosen, const bool *clear)
{
	for (size_t i = 0; i < some->count; i++) {
		const struct pm_region *region = &regions->items[chosen[i]];
		bool counted = some->items[i].kind == PM_KIND_MALLOC;
		if (must_recount(before, region) && (counted || clear[i]) &&
		    counted != (region->kind == PM_KIND_MALLOC))
			return true;
	}
	return false;
}

int pm_kinds_recount(struct pm_regions *regions, const struct pm_regions *before,
                     const struct pm_kinds_evidence *evidence, bool *wrong, struct pm_error *error)
{
	struct pm_regions some;
	size_t chosen[REGIONS_MAX + 1] = { 0 };
	bool clear[REGIONS_MAX + 1] = { false };

	pm_regions_init(&some);
	*wrong = false;

	int result = choose(regions, before, &some, chosen, wrong, error);
	if (result == 0 && !*wrong)
		result = count_chunks(&some, pm_kinds_resident(regions), evidence, clear, error);
	*wrong = *wrong || (result == 0 && proves_wrong(regions, before, &some, chosen, clear));

	for (size_t i = 0; result == 0 && !*wrong && i < some.count; i++)
		result = adopt(regions, &regions->items[chosen[i]], &some.items[i], error);

	pm_regions_deinit(&some);
	return result;
}
