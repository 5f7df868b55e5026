/* SPDX-License-Identifier: MIT */
#include "trace/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/maps.h>

/** Tests whether a region is beyond the addresses of processes, as [vsyscall] is. */
static bool is_outside(const struct pm_region *region)
{
	return region->end > PM_TRACE_ADDRESS_END;
}

static bool is_segment(const struct pm_region *region)
{
	static const char prefix[] = "/SYSV";
	return strncmp(region->mapping, prefix, sizeof prefix - 1) == 0;
}

/** Tests whether the kernel maps or grows a region without a system call that is traced. */
static bool is_of_kernel(const struct pm_region *region)
{
	if (strcmp(region->mapping, "[heap]") == 0 || strncmp(region->mapping, "[anon", 5) == 0)
		return false;
	return region->mapping[0] == '[' || strcmp(region->mapping, "/[aio]") == 0;
}

uint64_t pm_trace_snapshot_segment(const struct pm_regions *regions, uint64_t start)
{
	size_t first = pm_regions_index(regions, start);
	uint64_t end = start;

	for (size_t i = first; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];

		/* Other permissions in the middle divide a segment into several regions. */
		if (region->start != end || region->inode != regions->items[first].inode ||
		    region->offset != end - start)
			break;
		end = region->end;
	}

	return end - start;
}

static int add_regions(struct pm_trace_space *space, const struct pm_regions *regions,
                       struct pm_error *error)
{
	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		struct pm_trace_owner owner = { .before = true };

		if (is_outside(region))
			continue;

		owner.reserve = !(region->perms & (PM_PERM_READ | PM_PERM_WRITE | PM_PERM_EXEC));
		if (pm_trace_intervals_set(space->list, pm_region_bounds(region), owner, error) < 0)
			return -1;

		struct pm_trace_segment segment = { .start = region->start, .id = UINT64_MAX };
		if (!is_segment(region) || region->offset != 0)
			continue;
		segment.size = pm_trace_snapshot_segment(regions, region->start);
		if (pm_trace_space_attach(space, segment, error) < 0)
			return -1;
	}

	return 0;
}

/** Pages are marked in the list while they are visited. */
struct marking {
	struct pm_trace_space *space;
	struct pm_error *error;
};

static int mark(void *context, const struct pm_page_run *run)
{
	const struct marking *marking = context;
	struct pm_trace_space *space = marking->space;
	struct pm_range range = { run->start, run->end };
	struct pm_trace_interval interval;

	if (!(run->state & (PM_PAGE_PRESENT | PM_PAGE_SWAPPED)) || (run->state & PM_PAGE_ZERO))
		return 0;

	for (uint64_t at = range.start; at < range.end; at = interval.range.end) {
		if (!pm_trace_intervals_find(space->list, at, &interval))
			break;

		interval.range = pm_range_clip(interval.range, range);
		interval.owner.present = true;
		if (pm_range_size(interval.range) == 0)
			break;
		if (pm_trace_intervals_set(space->list, interval.range, interval.owner,
		                           marking->error) < 0)
			return -1;
	}

	return 0;
}

static int mark_present(struct pm_trace_space *space, struct pm_process *process,
                        const struct pm_regions *regions, struct pm_error *error)
{
	struct marking marking = { space, error };
	struct pm_pagemap *pagemap;
	int result = 0;

	if (pm_pagemap_open(process, PM_PAGEMAP_BEST, &pagemap, error) < 0)
		return -1;

	for (size_t i = 0; result == 0 && i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];

		if (!is_outside(region))
			result = pm_pagemap_walk(pagemap, region->start, region->end, mark,
			                         &marking, error);
	}

	pm_pagemap_close(pagemap);
	return result;
}

/** Returns the end of the brk heap. */
static uint64_t brk_of(struct pm_process *process, const struct pm_regions *regions)
{
	struct pm_process_info info = { 0 };
	uint64_t end = 0;

	for (size_t i = 0; i < regions->count; i++)
		if (strcmp(regions->items[i].mapping, "[heap]") == 0)
			end = regions->items[i].end;
	if (end != 0)
		return end;

	/* The heap is still empty. If its start is not known, the first call of brk shows it. */
	if (pm_process_read_info(process, &info, NULL) < 0)
		return 0;
	return (info.start_brk + PM_TRACE_PAGE - 1) & ~(PM_TRACE_PAGE - 1);
}

int pm_trace_snapshot_load(struct pm_trace_space *space, struct pm_process *process, bool present,
                           struct pm_error *error)
{
	struct pm_regions regions;

	pm_regions_init(&regions);
	int result = pm_maps_read(process, PM_MAPS, &regions, error);
	if (result == 0)
		result = add_regions(space, &regions, error);
	if (result == 0 && present)
		result = mark_present(space, process, &regions, error);
	if (result == 0)
		space->brk = brk_of(process, &regions);

	pm_regions_deinit(&regions);
	return result;
}

/** Finds the addresses of a list that another list lacks, without those that have changed. */
static int find_missing(const struct pm_trace_space *space, const struct pm_trace_intervals *list,
                        const struct pm_trace_intervals *other, struct pm_trace_pieces *missing,
                        struct pm_error *error)
{
	struct pm_trace_pieces gaps = { 0 };
	struct pm_trace_interval interval;
	int result = 0;

	for (uint64_t at = 0; result == 0 && pm_trace_intervals_find(list, at, &interval);
	     at = interval.range.end)
		result = pm_trace_intervals_gaps(other, interval.range, interval.owner, &gaps,
		                                 error);
	for (size_t i = 0; result == 0 && i < gaps.count; i++)
		result = pm_trace_intervals_gaps(space->changed, gaps.items[i].range,
		                                 gaps.items[i].owner, missing, error);

	free(gaps.items);
	return result;
}

/** Makes a list of the regions. The mark `before` means: mapped by the kernel. */
static int list_regions(const struct pm_regions *regions, struct pm_trace_intervals **list,
                        struct pm_error *error)
{
	if (pm_trace_intervals_open(list, error) < 0)
		return -1;

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		const struct pm_trace_owner owner = { .before = is_of_kernel(region) };

		if (is_outside(region))
			continue;
		if (pm_trace_intervals_set(*list, pm_region_bounds(region), owner, error) < 0) {
			pm_trace_intervals_close(*list);
			return -1;
		}
	}

	return 0;
}

/** Adds what the list lacks: memory of the kernel always, the rest if the list is corrected. */
static int add_missing(struct pm_trace_space *space, const struct pm_trace_pieces *missing,
                       bool correct, uint64_t *bytes, struct pm_error *error)
{
	for (size_t i = 0; i < missing->count; i++) {
		const struct pm_trace_interval *piece = &missing->items[i];

		if (!piece->owner.before)
			*bytes += pm_range_size(piece->range);
		if (!piece->owner.before && !correct)
			continue;
		if (pm_trace_intervals_set(space->list, piece->range, piece->owner, error) < 0)
			return -1;
	}

	return 0;
}

static int remove_extra(struct pm_trace_space *space, const struct pm_trace_pieces *extra,
                        bool correct, uint64_t *bytes, struct pm_error *error)
{
	for (size_t i = 0; i < extra->count; i++) {
		*bytes += pm_range_size(extra->items[i].range);
		if (correct &&
		    pm_trace_intervals_cut(space->list, extra->items[i].range, error) < 0)
			return -1;
	}

	return 0;
}

/** Removes from the pieces what a list does not contain. Their owners remain. */
static int keep_common(const struct pm_trace_intervals *list, struct pm_trace_pieces *pieces,
                       struct pm_error *error)
{
	struct pm_trace_pieces common = { 0 };
	int result = 0;

	for (size_t i = 0; result == 0 && i < pieces->count; i++) {
		size_t first = common.count;

		result = pm_trace_intervals_copy(list, pieces->items[i].range, &common, error);
		for (size_t at = first; at < common.count; at++)
			common.items[at].owner = pieces->items[i].owner;
	}
	if (result < 0) {
		free(common.items);
		return -1;
	}

	free(pieces->items);
	*pieces = common;
	return 0;
}

static int add_pieces(struct pm_trace_intervals *list, const struct pm_trace_pieces *pieces,
                      struct pm_error *error)
{
	for (size_t i = 0; i < pieces->count; i++)
		if (pm_trace_intervals_set(list, pieces->items[i].range, pieces->items[i].owner,
		                           error) < 0)
			return -1;

	return 0;
}

/** Keeps only the differences at suspected addresses. These are the next suspects. */
static int keep_suspects(struct pm_trace_intervals *suspects, struct pm_trace_pieces *missing,
                         struct pm_trace_pieces *extra, struct pm_error *error)
{
	if (keep_common(suspects, missing, error) < 0 || keep_common(suspects, extra, error) < 0)
		return -1;

	pm_trace_intervals_clear(suspects);
	if (add_pieces(suspects, missing, error) < 0)
		return -1;
	return add_pieces(suspects, extra, error);
}

int pm_trace_snapshot_compare(struct pm_trace_space *space, const struct pm_regions *regions,
                              bool correct, struct pm_trace_intervals *suspects,
                              struct pm_trace_difference *difference, struct pm_error *error)
{
	struct pm_trace_pieces missing = { 0 }, extra = { 0 };
	struct pm_trace_difference found = { 0, 0 };
	struct pm_trace_intervals *list;

	if (list_regions(regions, &list, error) < 0)
		return -1;

	int result = find_missing(space, list, space->list, &missing, error);
	if (result == 0)
		result = find_missing(space, space->list, list, &extra, error);
	if (result == 0)
		result = keep_suspects(suspects, &missing, &extra, error);
	if (result == 0)
		result = add_missing(space, &missing, correct, &found.regions, error);
	if (result == 0)
		result = remove_extra(space, &extra, correct, &found.list, error);
	if (result == 0)
		*difference = found;

	free(missing.items);
	free(extra.items);
	pm_trace_intervals_close(list);
	return result;
}
