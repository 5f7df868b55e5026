/* SPDX-License-Identifier: MIT */
#include "dump/copy.h"

#include <stdlib.h>
#include <time.h>

#include "base/array.h"

/* A unit has 256 pages, some of them in two segments, and each may be bad for a reason of its own. */
enum { MOST_BAD = PM_UNIT_SIZE / 4096 + PM_UNIT_SEGMENTS };

/** Unreadable bytes of a unit. */
struct bad {
	uint64_t start;
	uint64_t end;
};

/** A dump in progress; on the heap because of the buffers. */
struct copy {
	const struct pm_dump_source *source;
	pm_part_taker *take;
	void *context;
	struct pm_dump_result *result;
	struct pm_unit unit;
	size_t bad_count;
	struct bad bad[MOST_BAD];
	char bytes[PM_UNIT_SIZE];
};

uint64_t pm_dump_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void note_bad(void *context, const struct pm_unreadable *range)
{
	struct copy *copy = context;
	if (copy->bad_count < MOST_BAD)
		copy->bad[copy->bad_count++] = (struct bad){ range->start, range->end };
	if (copy->source->unreadable)
		copy->source->unreadable(copy->source->context, range);
}

static int hand_on(struct copy *copy, const struct pm_segment *segment, uint64_t start, uint64_t end, enum pm_part_type type,
                   const char *bytes, struct pm_error *error)
{
	const struct pm_part part = { .start = start, .end = end, .region = segment->region, .type = type, .bytes = bytes };
	return start < end ? copy->take(copy->context, &part, error) : 0;
}

/** Hands on a segment that was read: what is good of it as bytes, the rest as absent. @param bad first range not behind it; moves on */
static int hand_on_read(struct copy *copy, const struct pm_segment *segment, const char *bytes, size_t *bad, struct pm_error *error)
{
	uint64_t at = segment->start;
	for (; *bad < copy->bad_count && copy->bad[*bad].start < segment->end; ++*bad) {
		struct bad range = copy->bad[*bad];
		uint64_t start = range.start > at ? range.start : at, end = range.end < segment->end ? range.end : segment->end;
		if (hand_on(copy, segment, at, start, PM_PART_BYTES, bytes + (at - segment->start), error) < 0 ||
		    hand_on(copy, segment, start, end, PM_PART_ABSENT, NULL, error) < 0)
			return -1;
		copy->result->bytes += start - at;
		copy->result->unreadable += end - start;
		at = end;
		/* Ranges of two adjacent segments may have come as one. */
		if (range.end > segment->end)
			break;
	}
	copy->result->bytes += segment->end - at;
	return hand_on(copy, segment, at, segment->end, PM_PART_BYTES, bytes + (at - segment->start), error);
}

/** Hands on a segment that was not read, and counts it. */
static int hand_on_unread(struct copy *copy, const struct pm_segment *segment, struct pm_error *error)
{
	uint64_t size = segment->end - segment->start;
	bool zeros = segment->type == PM_SEGMENT_HOLE;
	if (zeros)
		copy->result->holes += size;
	else if (segment->type == PM_SEGMENT_FILE || segment->type == PM_SEGMENT_SHARED)
		copy->result->untouched += size;
	else
		copy->result->forbidden += size;
	return hand_on(copy, segment, segment->start, segment->end, zeros ? PM_PART_ZEROS : PM_PART_ABSENT, NULL, error);
}

static int copy_unit(struct copy *copy, struct pm_error *error)
{
	const struct pm_dump_source *source = copy->source;
	const struct pm_unit_source from = {
		.target = source->reader, .files = source->files, .unreadable = note_bad, .context = copy, .cancel = source->cancel
	};
	copy->bad_count = 0;
	if (pm_unit_read(&from, &copy->unit, copy->bytes, error) < 0)
		return -1;
	const char *bytes = copy->bytes;
	size_t bad = 0;
	for (size_t i = 0; i < copy->unit.count; i++) {
		const struct pm_segment *segment = &copy->unit.segments[i];
		if (!segment->wanted) {
			if (hand_on_unread(copy, segment, error) < 0)
				return -1;
			continue;
		}
		if (hand_on_read(copy, segment, bytes, &bad, error) < 0)
			return -1;
		bytes += segment->end - segment->start;
	}
	if (source->progress)
		source->progress(source->context, copy->result->bytes, copy->unit.segments[copy->unit.count - 1].end);
	return 0;
}

int pm_dump_copy(const struct pm_dump_source *source, pm_part_taker *take, void *context, struct pm_dump_result *result,
                 struct pm_error *error)
{
	const struct pm_plan_options options = { .pages = source->pages, .files = source->files != NULL, .cancel = source->cancel };
	struct pm_plan *plan;
	struct copy *copy = malloc(sizeof *copy);
	if (!copy)
		return pm_error_out_of_memory(error);
	if (pm_plan_open(source->regions, source->ranges, source->count, &options, &plan, error) < 0) {
		free(copy);
		return -1;
	}
	copy->source = source;
	copy->take = take;
	copy->context = context;
	copy->result = result;
	int more;
	while ((more = pm_plan_next(plan, &copy->unit, error)) > 0)
		if (copy_unit(copy, error) < 0) {
			more = -1;
			break;
		}
	pm_plan_close(plan);
	free(copy);
	if (more == 0 && source->process)
		return pm_process_check(source->process, error);
	return more;
}
