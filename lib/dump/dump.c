/* SPDX-License-Identifier: MIT */
/*
 * Dumps memory. The threads of a ring read units in advance. A callback function receives the bytes
 * by ascending address, and writes raw bytes or a core file.
 */
#include "dump/dump.h"

#include "base/clock.h"
#include "dump/output.h"
#include "dump/unit_ring.h"

/** State of a dump. */
struct copy {
	const struct pm_dump_source *source;
	pm_part_taker *take;
	void *context;
	struct pm_dump_result *result;
};

static int pass_part(const struct copy *copy, const struct pm_segment *segment,
                     struct pm_range range, enum pm_part_type type, const char *bytes,
                     struct pm_error *error)
{
	const struct pm_part part = {
		.range = range, .region = segment->region, .type = type, .bytes = bytes
	};

	if (pm_range_size(range) == 0)
		return 0;

	return copy->take(copy->context, &part, error);
}

/**
 * Passes a segment that was read to the callback: readable ranges as PM_PART_BYTES, and unreadable
 * ranges as PM_PART_ABSENT.
 * @param next  index of the first unreadable range that ends after the start of the segment;
 *              updated for the next segment
 */
static int pass_read(const struct copy *copy, const struct pm_ring_slot *slot,
                     const struct pm_segment *segment, const char *bytes, size_t *next,
                     struct pm_error *error)
{
	const struct pm_unreadable_list *unreadable = &slot->unreadable;
	struct pm_range rest = { segment->start, segment->end };

	for (; *next < unreadable->count && unreadable->items[*next].start < segment->end;
	     ++*next) {
		const struct pm_unreadable *item = &unreadable->items[*next];
		struct pm_range bad = pm_range_clip((struct pm_range){ item->start, item->end },
		                                    rest);
		struct pm_range good = { rest.start, bad.start };

		if (pass_part(copy, segment, good, PM_PART_BYTES,
		              bytes + (good.start - segment->start), error) < 0 ||
		    pass_part(copy, segment, bad, PM_PART_ABSENT, NULL, error) < 0)
			return -1;

		copy->result->bytes += pm_range_size(good);
		copy->result->unreadable += pm_range_size(bad);
		rest.start = bad.end;

		/* The unreadable range continues in the next segment, so do not increase
		 * `*next`. */
		if (item->end > segment->end)
			break;
	}

	copy->result->bytes += pm_range_size(rest);
	return pass_part(copy, segment, rest, PM_PART_BYTES, bytes + (rest.start - segment->start),
	                 error);
}

/**
 * Passes a segment that was not read to the callback, as PM_PART_ZEROS for a hole, otherwise as
 * PM_PART_ABSENT. Counts the bytes of the segment in the result.
 */
static int pass_unread(const struct copy *copy, const struct pm_segment *segment,
                       struct pm_error *error)
{
	uint64_t size = segment->end - segment->start;
	bool zeros = segment->type == PM_SEGMENT_HOLE;
	if (zeros)
		copy->result->holes += size;
	else if (segment->type == PM_SEGMENT_FILE || segment->type == PM_SEGMENT_SHARED)
		copy->result->untouched += size;
	else if (segment->type == PM_SEGMENT_PENDING)
		copy->result->pending += size;
	else
		copy->result->forbidden += size;

	return pass_part(copy, segment, (struct pm_range){ segment->start, segment->end },
	                 zeros ? PM_PART_ZEROS : PM_PART_ABSENT, NULL, error);
}

static void report_unreadable(const struct pm_dump_source *source, const struct pm_ring_slot *slot)
{
	for (size_t i = 0; source->unreadable && i < slot->unreadable.count; i++)
		source->unreadable(source->context, &slot->unreadable.items[i]);
}

static int copy_unit(const struct copy *copy, const struct pm_ring_slot *slot,
                     struct pm_error *error)
{
	const struct pm_unit *unit = &slot->unit;
	const char *bytes = slot->bytes;
	size_t next = 0;

	report_unreadable(copy->source, slot);
	for (size_t i = 0; i < unit->count; i++) {
		const struct pm_segment *segment = &unit->segments[i];

		if (!segment->wanted) {
			if (pass_unread(copy, segment, error) < 0)
				return -1;
			continue;
		}

		if (pass_read(copy, slot, segment, bytes, &next, error) < 0)
			return -1;
		bytes += segment->end - segment->start;
	}

	if (copy->source->progress)
		copy->source->progress(copy->source->context, copy->result->bytes,
		                       unit->segments[unit->count - 1].end);

	return 0;
}

int pm_dump_copy(const struct pm_dump_source *source, pm_part_taker *take, void *context,
                 struct pm_dump_result *result, struct pm_error *error)
{
	const struct copy copy = {
		.source = source, .take = take, .context = context, .result = result
	};
	struct pm_unit_ring *ring;
	const struct pm_ring_slot *slot;

	if (pm_unit_ring_open(source, &ring, error) < 0)
		return -1;

	int more;
	while ((more = pm_unit_ring_next(ring, &slot, error)) > 0)
		if (copy_unit(&copy, slot, error) < 0) {
			more = -1;
			break;
		}

	pm_unit_ring_close(ring);
	if (more == 0 && source->process)
		return pm_process_check(source->process, error);

	return more;
}

static int write_raw(void *context, const struct pm_part *part, struct pm_error *error)
{
	struct pm_output *output = context;
	uint64_t size = pm_range_size(part->range);

	if (part->type == PM_PART_BYTES)
		return pm_output_bytes(output, part->bytes, (size_t)size, error);

	return pm_output_zeros(output, size, error);
}

int pm_dump_raw(const struct pm_dump_source *source, int fd, struct pm_dump_result *result,
                struct pm_error *error)
{
	struct pm_output output;
	uint64_t begin = pm_clock_ns(CLOCK_MONOTONIC);

	if (pm_output_init(&output, fd, source->cancel, error) < 0)
		return -1;

	*result = (struct pm_dump_result){ 0 };
	int done = pm_dump_copy(source, write_raw, &output, result, error);
	if (done == 0)
		done = pm_output_finish(&output, error);
	pm_output_deinit(&output);
	result->size = output.at;
	result->nanoseconds = pm_clock_ns(CLOCK_MONOTONIC) - begin;

	return done;
}
