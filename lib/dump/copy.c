/* SPDX-License-Identifier: MIT */
#include "dump/copy.h"

#include "dump/unit_ring.h"

/** A dump in progress. */
struct copy {
	const struct pm_dump_source *source;
	pm_part_taker *take;
	void *context;
	struct pm_dump_result *result;
};

static int hand_on(const struct copy *copy, const struct pm_segment *segment, uint64_t start,
                   uint64_t end, enum pm_part_type type, const char *bytes, struct pm_error *error)
{
	const struct pm_part part = {
		.start = start, .end = end, .region = segment->region, .type = type, .bytes = bytes
	};
	return start < end ? copy->take(copy->context, &part, error) : 0;
}

/**
 * Hands on a segment that was read: what is good of it as bytes, the rest as absent.
 * @param bad first range not behind it; moves on
 */
static int hand_on_read(const struct copy *copy, const struct pm_ring_slot *slot,
                        const struct pm_segment *segment, const char *bytes, size_t *bad,
                        struct pm_error *error)
{
	uint64_t at = segment->start;
	for (; *bad < slot->bad_count && slot->bad[*bad].start < segment->end; ++*bad) {
		const struct pm_bad_range *range = &slot->bad[*bad];
		uint64_t start = range->start > at ? range->start : at,
			 end = range->end < segment->end ? range->end : segment->end;
		if (hand_on(copy, segment, at, start, PM_PART_BYTES, bytes + (at - segment->start),
		            error) < 0 ||
		    hand_on(copy, segment, start, end, PM_PART_ABSENT, NULL, error) < 0)
			return -1;

		copy->result->bytes += start - at;
		copy->result->unreadable += end - start;
		at = end;

		/* Ranges of two adjacent segments may have come as one. */
		if (range->end > segment->end)
			break;
	}

	copy->result->bytes += segment->end - at;
	return hand_on(copy, segment, at, segment->end, PM_PART_BYTES,
	               bytes + (at - segment->start), error);
}

/** Hands on a segment that was not read, and counts it. */
static int hand_on_unread(const struct copy *copy, const struct pm_segment *segment,
                          struct pm_error *error)
{
	uint64_t size = segment->end - segment->start;
	bool zeros = segment->type == PM_SEGMENT_HOLE;
	if (zeros)
		copy->result->holes += size;
	else if (segment->type == PM_SEGMENT_FILE || segment->type == PM_SEGMENT_SHARED)
		copy->result->untouched += size;
	else
		copy->result->forbidden += size;

	return hand_on(copy, segment, segment->start, segment->end,
	               zeros ? PM_PART_ZEROS : PM_PART_ABSENT, NULL, error);
}

static void tell_unreadable(const struct pm_dump_source *source, const struct pm_ring_slot *slot)
{
	for (size_t i = 0; source->unreadable && i < slot->bad_count; i++) {
		const struct pm_bad_range *bad = &slot->bad[i];
		const struct pm_unreadable range = { .start = bad->start,
			                             .end = bad->end,
			                             .os_errno = bad->os_errno,
			                             .why = slot->reasons[bad->reason] };
		source->unreadable(source->context, &range);
	}
}

static int copy_unit(const struct copy *copy, const struct pm_ring_slot *slot,
                     struct pm_error *error)
{
	const struct pm_unit *unit = &slot->unit;
	const char *bytes = slot->bytes;
	size_t bad = 0;

	tell_unreadable(copy->source, slot);
	for (size_t i = 0; i < unit->count; i++) {
		const struct pm_segment *segment = &unit->segments[i];
		int result = segment->wanted ? hand_on_read(copy, slot, segment, bytes, &bad, error)
		                             : hand_on_unread(copy, segment, error);
		if (result < 0)
			return -1;
		if (segment->wanted)
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
