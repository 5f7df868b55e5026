/* SPDX-License-Identifier: MIT */
#include <procmem/read_plan.h>

#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "reader/cancel.h"
#include "reader/segments.h"
#include "region/pagemap.h"

struct pm_plan {
	size_t unit_size; /* maximum number of bytes to read in one unit */
	uint64_t units;   /* number of units returned so far */
	/* Number of bytes in the units returned so far, for each type of segment */
	uint64_t bytes[PM_SEGMENT_COUNT];
	/* Number of contiguous wanted bytes at the end of the segments that were moved to units
	 * so far */
	uint64_t preceding;
	bool has_current;
	/* The part of a segment that was not added to a unit yet; valid if `has_current` */
	struct pm_segment current;
	struct pm_segments segments;
};

int pm_plan_open(const struct pm_regions *regions, const struct pm_region_range *ranges,
                 size_t count, const struct pm_plan_options *options, struct pm_plan **plan,
                 struct pm_error *error)
{
	static const struct pm_plan_options defaults = { 0 };
	if (!options)
		options = &defaults;

	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	if (options->unit_size > PM_UNIT_SIZE || options->unit_size % page != 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "invalid unit size %zu: it must be a multiple of %zu, at most "
		                    "%zu",
		                    options->unit_size, page, PM_UNIT_SIZE);

	struct pm_plan *made = malloc(sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);

	made->unit_size = options->unit_size ? options->unit_size : PM_UNIT_SIZE;
	made->units = 0;
	for (int type = 0; type < PM_SEGMENT_COUNT; type++)
		made->bytes[type] = 0;

	made->preceding = 0;
	made->has_current = false;
	pm_segments_init(&made->segments, regions, ranges, count, options);
	*plan = made;

	return 0;
}

void pm_plan_close(struct pm_plan *plan)
{
	free(plan);
}

/**
 * Sets `current` to the next segment if `current` is empty.
 * @return 1: `current` is set; 0: there are no more segments; -1: an error
 */
static int load(struct pm_plan *plan, struct pm_error *error)
{
	if (plan->has_current)
		return 1;
	int more = pm_segments_next(&plan->segments, &plan->current, error);
	plan->has_current = more > 0;
	return more;
}

/**
 * Appends the first `size` bytes of `current` to the unit as a segment, and removes them from
 * `current`. If `current` is not longer, all of it is moved.
 */
static void move_to_unit(struct pm_plan *plan, uint64_t size, struct pm_unit *unit)
{
	struct pm_segment *segment = &unit->segments[unit->count++];
	*segment = plan->current;
	if (segment->end - segment->start > size) {
		segment->end = segment->start + size;
		plan->current.start = segment->end;
		plan->current.follows = true;
	} else {
		size = segment->end - segment->start;
		plan->has_current = false;
	}

	plan->bytes[segment->type] += size;
	if (!segment->follows || !segment->wanted)
		plan->preceding = 0;
	if (segment->wanted) {
		plan->preceding += size;
		unit->size += (size_t)size;
	}
}

/**
 * Returns the number of bytes of `current` that may be added to a unit; UINT64_MAX means all of
 * them, and 0 means that the unit is full. A wanted segment is split only at page boundaries.
 * Otherwise, bytes of different types could be within a page of the end of a unit, and a scan reads
 * these bytes together with the unit.
 */
static uint64_t room_in(const struct pm_plan *plan, const struct pm_unit *unit)
{
	uint64_t room = plan->unit_size - unit->size, start = plan->current.start;
	if (!plan->current.wanted || plan->current.end - start <= room)
		return UINT64_MAX;
	uint64_t beyond = (start + room) & plan->segments.page_mask;
	return room > beyond ? room - beyond : 0;
}

int pm_plan_next(struct pm_plan *plan, struct pm_unit *unit, struct pm_error *error)
{
	if (pm_check_cancel(plan->segments.options.cancel, error) < 0)
		return -1;
	int more = load(plan, error);
	if (more <= 0)
		return more;
	unit->before = plan->current.follows ? plan->preceding : 0;
	unit->size = unit->count = 0;
	do {
		uint64_t room = room_in(plan, unit);
		if (room == 0)
			break;
		move_to_unit(plan, room, unit);
		more = load(plan, error);
	} while (more > 0 && unit->count < PM_UNIT_SEGMENTS);
	if (more < 0)
		return -1;

	bool continues = more > 0 && plan->current.wanted && plan->current.follows &&
	                 unit->segments[unit->count - 1].wanted;
	unit->after = continues ? plan->current.end - plan->current.start : 0;
	unit->index = plan->units++;
	return 1;
}

uint64_t pm_plan_bytes(const struct pm_plan *plan, enum pm_segment_type type)
{
	return plan->bytes[type];
}

static int walk_pagemap(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit,
                        void *visitor, struct pm_error *error)
{
	return pm_pagemap_walk_states(context, start, end, false, visit, visitor, error);
}

struct pm_page_source pm_pagemap_source(struct pm_pagemap *pagemap)
{
	return (struct pm_page_source){ .walk = walk_pagemap,
		                        .context = pagemap,
		                        .untouched = PM_SEGMENT_HOLE };
}
