/* SPDX-License-Identifier: MIT */
/*
 * Each batch of hits becomes ranges of addresses, and these become a plan, which says which pages
 * can be read without a change of the process. The bytes of the segments of the plan are then
 * distributed to the hits.
 */
#include <procmem/next_hits.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"
#include "reader/cancel.h"

enum {
	BATCH_MAX = 16 * 1024, /* hits in a batch: less than 2 MiB of memory */
	GAP_MAX = 4096,        /* two hits are read as one range up to this distance in bytes */
	/* A number can be in two regions, and each part can start a range. */
	RANGES_MAX = 2 * BATCH_MAX,
};

/** A hit of the batch. */
struct item {
	struct pm_saved_hit saved;
	uint8_t size;  /* size of the number */
	uint8_t known; /* number of its bytes in `now`; segments do not overlap */
	bool unmapped, unreadable;
	uint8_t now[PM_NUMBER_SIZE_MAX];
	size_t region;
};

/** The work on all batches. */
struct run {
	const struct pm_next_hits *next;
	struct item items[BATCH_MAX];
	size_t count;
	size_t first; /* first item that can be in the next segment */
	struct pm_region_range ranges[RANGES_MAX];
	size_t range_count;
	struct pm_unit unit;
	uint8_t buffer[PM_UNIT_SIZE];
};

/** Adds a part of a hit, in one region, to the ranges, which stay in the order of addresses. */
static void add_range(struct run *run, struct pm_range part, size_t region)
{
	struct pm_region_range *last = &run->ranges[pm_max_size(run->range_count, 1) - 1];

	/* The last range is in the next region because the previous hit extends into it. */
	if (run->range_count > 1 && last->region > region)
		last--;
	if (run->range_count > 0 && last->region == region &&
	    part.start <= last->range.end + GAP_MAX) {
		last->range.end = pm_max(last->range.end, part.end);
		return;
	}
	run->ranges[run->range_count++] = (struct pm_region_range){ part, region };
}

/** Finds the regions of a hit, and adds its ranges. */
static void place(struct run *run, struct item *item)
{
	const struct pm_regions *regions = run->next->regions;
	uint64_t at = item->saved.address, end = at + item->size;

	item->region = pm_regions_index(regions, at);
	for (size_t i = item->region; at < end; i++) {
		if (i == regions->count || regions->items[i].start > at) {
			item->unmapped = true;
			return;
		}
		uint64_t part_end = pm_min(end, regions->items[i].end);
		add_range(run, (struct pm_range){ at, part_end }, i);
		at = part_end;
	}
}

/** Fills the batch from the file. */
static int fill_batch(struct run *run, struct pm_error *error)
{
	struct pm_saved_hits *saved = run->next->saved;
	const struct pm_saved_hits_info *info = pm_saved_hits_info(saved);
	int more = 1;

	run->count = run->range_count = run->first = 0;
	while (run->count < BATCH_MAX) {
		struct item item = { .known = 0 };
		more = pm_saved_hits_next(saved, &item.saved, error);
		if (more <= 0)
			break;

		item.size = info->tests[item.saved.test].size;
		place(run, &item);
		run->items[run->count++] = item;
	}
	return more < 0 ? -1 : 0;
}

/**
 * Copies the bytes of a segment to the hits in it.
 * @param bytes  the bytes of the segment; NULL for zeros
 */
static void distribute(struct run *run, const struct pm_segment *segment, const uint8_t *bytes)
{
	const struct pm_range range = { segment->start, segment->end };

	/* The hits are in the order of their addresses, but not of their ends. */
	while (run->first < run->count &&
	       run->items[run->first].saved.address + PM_NUMBER_SIZE_MAX <= range.start)
		run->first++;

	for (size_t i = run->first; i < run->count; i++) {
		struct item *item = &run->items[i];
		uint64_t address = item->saved.address;
		if (address >= range.end)
			break;

		struct pm_range part = pm_range_clip(
			(struct pm_range){ address, address + item->size }, range);
		size_t size = (size_t)pm_range_size(part);
		if (bytes && size > 0)
			memcpy(item->now + (part.start - address),
			       bytes + (part.start - range.start), size);
		item->known = (uint8_t)(item->known + size);
	}
}

/** Marks the hits in a range that could not be read. See pm_unreadable_visitor. */
static void note_unreadable(void *context, const struct pm_unreadable *range)
{
	struct run *run = context;
	const struct pm_unit_source *source = &run->next->source;

	for (size_t i = 0; i < run->count; i++) {
		struct item *item = &run->items[i];
		if (item->saved.address < range->end &&
		    item->saved.address + item->size > range->start)
			item->unreadable = true;
	}
	if (source->unreadable)
		source->unreadable(source->context, range);
}

/** Reads a unit, and distributes its bytes. */
static int read_unit(struct run *run, struct pm_error *error)
{
	struct pm_unit_source source = run->next->source;
	const uint8_t *bytes = run->buffer;

	source.unreadable = note_unreadable;
	source.context = run;
	if (pm_unit_read(&source, &run->unit, run->buffer, error) < 0)
		return -1;

	for (size_t i = 0; i < run->unit.count; i++) {
		const struct pm_segment *segment = &run->unit.segments[i];
		if (segment->wanted) {
			distribute(run, segment, bytes);
			bytes += segment->end - segment->start;
		} else if (segment->type == PM_SEGMENT_HOLE)
			distribute(run, segment, NULL);
	}
	return 0;
}

/** Reads the numbers of the batch. */
static int read_batch(struct run *run, struct pm_error *error)
{
	const struct pm_next_hits *next = run->next;
	struct pm_plan *plan;
	int more;

	if (run->range_count == 0)
		return 0;
	if (pm_plan_open(next->regions, run->ranges, run->range_count, &next->plan, &plan, error) <
	    0)
		return -1;

	while ((more = pm_plan_next(plan, &run->unit, error)) > 0)
		if (read_unit(run, error) < 0) {
			more = -1;
			break;
		}

	pm_plan_close(plan);
	return more;
}

/**
 * Passes the batch to the visitor.
 * @return the result of the visitor that ended this, or 0
 */
static int visit_batch(const struct run *run, struct pm_error *error)
{
	const struct pm_next_hits *next = run->next;
	const struct pm_saved_hits_info *info = pm_saved_hits_info(next->saved);

	for (size_t i = 0; i < run->count; i++) {
		const struct item *item = &run->items[i];
		struct pm_next_hit hit = { .saved = &item->saved,
			                   .test = &info->tests[item->saved.test],
			                   .state = PM_NEXT_READ,
			                   .region = item->region };
		if (item->unmapped)
			hit.state = PM_NEXT_UNMAPPED;
		else if (item->unreadable || item->known != item->size)
			hit.state = PM_NEXT_UNREADABLE;
		else
			memcpy(hit.now, item->now, sizeof hit.now);

		int result = next->visit(next->context, &hit, error);
		if (result)
			return result;
	}
	return 0;
}

int pm_next_hits_read(const struct pm_next_hits *next, struct pm_error *error)
{
	struct run *run = calloc(1, sizeof *run);
	int result = 0;
	if (!run)
		return pm_error_out_of_memory(error);

	run->next = next;
	do {
		if (pm_is_cancelled(next->source.cancel))
			result = pm_error_set(error, PM_ERROR_CANCELLED, 0,
			                      "the search was cancelled");
		else
			result = fill_batch(run, error);
		if (result == 0)
			result = read_batch(run, error);
		if (result == 0)
			result = visit_batch(run, error);
	} while (result == 0 && run->count == BATCH_MAX);

	free(run);
	return result < 0 ? -1 : 0;
}
