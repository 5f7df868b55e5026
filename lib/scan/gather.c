/* SPDX-License-Identifier: MIT */
#include "scan/gather.h"

#include <stdio.h>

#include "base/array.h"

/** Where gaps are noted down. */
struct notes {
	struct pm_gaps *gaps;
	bool failed; /* out of memory */
};

static void note_gap(void *context, const struct pm_unreadable *range)
{
	struct notes *notes = context;
	struct pm_gaps *gaps = notes->gaps;
	if (pm_array_reserve(&gaps->items, &gaps->capacity, gaps->count, 1, sizeof *gaps->items, NULL) < 0) {
		notes->failed = true;
		return;
	}
	struct pm_gap *gap = &gaps->items[gaps->count++];
	gap->start = range->start;
	gap->end = range->end;
	gap->os_errno = range->os_errno;
	snprintf(gap->why, sizeof gap->why, "%s", range->why);
}

/** The last gap that was seen, and the first. */
struct nearest {
	uint64_t first_start, last_end;
};

static void note_nearest(void *context, const struct pm_unreadable *range)
{
	struct nearest *nearest = context;
	nearest->first_start = range->start < nearest->first_start ? range->start : nearest->first_start;
	nearest->last_end = range->end;
}

int pm_gather_around(const struct pm_unit_source *source, uint64_t address, void *buffer, size_t size, size_t good[2], bool last,
                     struct pm_error *error)
{
	struct nearest nearest = { .first_start = address + size, .last_end = address };
	const struct pm_unit_source around = { .target = source->target, .unreadable = note_nearest, .context = &nearest,
	                                       .cancel = source->cancel };
	if (pm_unit_read_bytes(&around, address, buffer, size, error) < 0)
		return -1;
	good[0] = last ? (size_t)(nearest.last_end - address) : 0;
	good[1] = last ? size : (size_t)(nearest.first_start - address);
	return 0;
}

static int add_stretch(struct pm_gathered *gathered, const struct pm_stretch *stretch, struct pm_error *error)
{
	if (pm_array_reserve(&gathered->items, &gathered->capacity, gathered->count, 1, sizeof *gathered->items, error) < 0)
		return -1;
	gathered->items[gathered->count++] = *stretch;
	return 0;
}

/** Adds a stretch without the bytes that could not be read: what is around those does not belong together. */
static int add_without_gaps(struct pm_gathered *gathered, struct pm_stretch stretch, const struct pm_gaps *gaps, struct pm_error *error)
{
	for (size_t i = 0; i < gaps->count; i++) {
		const struct pm_gap *gap = &gaps->items[i];
		uint64_t end = stretch.address + stretch.size;
		if (gap->end <= stretch.address || gap->start >= end)
			continue;
		struct pm_stretch below = stretch;
		below.size = gap->start > stretch.address ? (size_t)(gap->start - stretch.address) : 0;
		below.zeros_after = below.ends = false;
		below.chain_after = 0;
		if (below.size > 0 && add_stretch(gathered, &below, error) < 0)
			return -1;
		uint64_t next = gap->end < end ? gap->end : end;
		stretch.bytes += next - stretch.address;
		stretch.size = (size_t)(end - next);
		stretch.address = next;
		stretch.begins = false;
	}
	return stretch.size > 0 ? add_stretch(gathered, &stretch, error) : 0;
}

/** Whether a segment is the continuation of the one before it in the unit. */
static bool continues(const struct pm_unit *unit, size_t i)
{
	/* cppcheck-suppress arrayIndexOutOfBoundsCond ; i is below the count in any case */
	return i > 0 && unit->segments[i].follows && unit->segments[i - 1].wanted;
}

/** What comes behind the last segment of a stretch, where that lies in the unit. */
static void look_behind_end(const struct pm_regions *regions, const struct pm_job *job, size_t last, struct pm_stretch *stretch)
{
	const struct pm_unit *unit = &job->unit;
	const struct pm_segment *segment = &unit->segments[last];
	bool at_end = last + 1 == unit->count;
	bool goes_on = at_end ? job->goes_on : unit->segments[last + 1].follows;
	stretch->ends = !goes_on && segment->end == regions->items[segment->region].end;
	if (at_end) {
		stretch->chain_after = segment->type == PM_SEGMENT_RUN ? job->chain_after : 0;
		stretch->zeros_after = job->zeros_after;
	} else
		stretch->zeros_after = goes_on && unit->segments[last + 1].type == PM_SEGMENT_HOLE;
}

/** Makes the stretches of a unit whose bytes begin at `bytes`. */
static int make_stretches(struct pm_gathered *gathered, const struct pm_regions *regions, const struct pm_job *job, uint8_t *bytes,
                          struct pm_error *error)
{
	const struct pm_unit *unit = &job->unit;
	gathered->count = 0;
	for (size_t i = 0; i < unit->count;) {
		const struct pm_segment *first = &unit->segments[i];
		if (!first->wanted) {
			i++;
			continue;
		}
		struct pm_stretch stretch = { .address = first->start, .bytes = bytes };
		stretch.begins = !first->follows && first->start == regions->items[first->region].start;
		do
			stretch.size += (size_t)(unit->segments[i].end - unit->segments[i].start);
		while (++i < unit->count && unit->segments[i].wanted && continues(unit, i));
		look_behind_end(regions, job, i - 1, &stretch);
		bytes += stretch.size;
		if (add_without_gaps(gathered, stretch, &job->gaps, error) < 0)
			return -1;
	}
	return 0;
}

/** Reads what is before the first stretch, if the unit begins with it. */
static int read_before(struct pm_gathered *gathered, const struct pm_unit_source *source, const struct pm_job *job, size_t wanted,
                       struct pm_error *error)
{
	size_t size = job->chain_before < wanted ? (size_t)job->chain_before : wanted, good[2];
	struct pm_stretch *first = gathered->count > 0 ? gathered->items : NULL;
	if (!first || size == 0 || first->address != job->unit.segments[0].start)
		return 0;
	if (pm_gather_around(source, first->address - size, first->bytes - size, size, good, true, error) < 0)
		return -1;
	first->before = good[1] - good[0];
	first->begins = false;
	return 0;
}

/** Reads what is behind the last stretch, if the unit ends with it. */
static int read_after(struct pm_gathered *gathered, const struct pm_unit_source *source, struct pm_error *error)
{
	struct pm_stretch *last = gathered->count > 0 ? &gathered->items[gathered->count - 1] : NULL;
	size_t good[2];
	if (!last || last->chain_after == 0)
		return 0;
	size_t size = last->chain_after < PM_OVERLAP ? (size_t)last->chain_after : PM_OVERLAP;
	if (pm_gather_around(source, last->address + last->size, last->bytes + last->size, size, good, false, error) < 0)
		return -1;
	last->after = good[1];
	if (good[1] < size) {
		last->chain_after = good[1];
		last->zeros_after = false;
	}
	return 0;
}

int pm_gather(struct pm_gathered *gathered, const struct pm_regions *regions, const struct pm_unit_source *source, struct pm_job *job,
              size_t before, struct pm_error *error)
{
	uint8_t *bytes = gathered->buffer + PM_LOOKBEHIND_ROOM;
	struct notes notes = { .gaps = &job->gaps };
	job->gaps.count = 0;
	const struct pm_unit_source noting = { .target = source->target, .files = source->files, .unreadable = note_gap, .context = &notes,
		                               .cancel = source->cancel };
	if (pm_unit_read(&noting, &job->unit, bytes, error) < 0)
		return -1;
	if (notes.failed)
		return pm_error_out_of_memory(error);
	if (make_stretches(gathered, regions, job, bytes, error) < 0 || read_before(gathered, source, job, before, error) < 0)
		return -1;
	return read_after(gathered, source, error);
}
