/* SPDX-License-Identifier: MIT */
#include <procmem/unit_read.h>

#include <string.h>
#include <unistd.h>

#include "base/minmax.h"
#include "reader/cancel.h"

/* A swapped page may take 10 ms to come in and cannot be interrupted: small calls keep a
 * cancellation prompt. */
static const uint64_t SWAP_STEP = UINT64_C(64) << 10;

/** One reading in progress. */
struct reading {
	const struct pm_unit_source *source;
	uint64_t page_mask;
	uint64_t bad_start; /* the unreadable range not yet told about; empty when both are equal */
	uint64_t bad_end;
	struct pm_error bad; /* why */
};

static void reading_init(struct reading *reading, const struct pm_unit_source *source)
{
	reading->source = source;
	reading->page_mask = (uint64_t)sysconf(_SC_PAGESIZE) - 1;
	reading->bad_start = reading->bad_end = 0;
}

static void tell_unreadable(struct reading *reading)
{
	const struct pm_unreadable range = { .start = reading->bad_start,
		                             .end = reading->bad_end,
		                             .os_errno = reading->bad.os_errno,
		                             .why = reading->bad.text };

	if (range.start != range.end && reading->source->unreadable)
		reading->source->unreadable(reading->source->context, &range);
	reading->bad_start = reading->bad_end = 0;
}

static void note_unreadable(struct reading *reading, uint64_t start, uint64_t end,
                            const struct pm_error *why)
{
	bool same = reading->bad_end == start && reading->bad_start != start &&
	            strcmp(reading->bad.text, why->text) == 0;
	if (!same) {
		tell_unreadable(reading);
		reading->bad_start = start;
		reading->bad = *why;
	}

	reading->bad_end = end;
}

/** Removes bytes from the start of ranges, and ranges that are then empty. */
static void advance(struct pm_range **ranges, size_t *count, uint64_t bytes)
{
	while (*count > 0 && bytes >= pm_range_size(**ranges)) {
		bytes -= pm_range_size(**ranges);
		++*ranges;
		--*count;
	}

	if (bytes > 0)
		(*ranges)->start += bytes;
}

/** Reads ranges, and skips unreadable pages one by one. The ranges are changed. */
static int read_ranges(struct reading *reading, struct pm_reader *reader, struct pm_range *ranges,
                       size_t count, char *buffer, struct pm_error *error)
{
	while (count > 0) {
		struct pm_error why = { .text = "the kernel gives no reason" };
		size_t done = 0;

		if (pm_check_cancel(reading->source->cancel, error) < 0)
			return -1;
		if (reader->ops->read(reader->context, ranges, count, buffer, &done, &why) < 0) {
			if (error)
				*error = why;
			return -1;
		}

		advance(&ranges, &count, done);
		buffer += done;
		if (count == 0)
			return 0;

		uint64_t rest_of_page = (ranges->start | reading->page_mask) - ranges->start + 1;
		uint64_t skipped = pm_min(rest_of_page, pm_range_size(*ranges));
		memset(buffer, 0, (size_t)skipped);
		note_unreadable(reading, ranges->start, ranges->start + skipped, &why);
		advance(&ranges, &count, skipped);
		buffer += skipped;
	}

	return 0;
}

/** What to read, and where the reading has come to. */
struct position {
	const struct pm_unit *unit;
	struct pm_unit_around around;
	size_t segment;  /* counts from 0 for what is before the unit */
	uint64_t offset; /* in that segment */
};

/** The segment at a position, which may be what is before or behind all others. */
static struct pm_segment segment_at(const struct position *at)
{
	const struct pm_unit *unit = at->unit;
	const struct pm_unit_around *around = &at->around;

	if (at->segment > 0 && at->segment <= unit->count)
		return unit->segments[at->segment - 1];

	bool before = at->segment == 0;
	uint64_t edge = before ? unit->segments[0].start : unit->segments[unit->count - 1].end;
	return (struct pm_segment){
		.start = before ? edge - around->before : edge,
		.end = before ? edge : edge + around->after,
		.type = before ? around->before_type : around->after_type,
		.wanted = before ? around->before > 0 : around->after > 0,
	};
}

/** What the next call reads. */
struct batch {
	struct pm_reader *reader;
	size_t count; /* of ranges */
	size_t size;  /* sum of their sizes */
	struct pm_range ranges[PM_UNIT_SEGMENTS + 2];
};

/**
 * Collects the next batch: wanted segments that the same reader gives, but swapped ones in steps.
 * @return false at the end of the unit
 */
static bool collect(const struct pm_unit_source *source, struct position *at, struct batch *batch)
{
	batch->count = batch->size = 0;
	for (; at->segment < at->unit->count + 2; at->segment++, at->offset = 0) {
		const struct pm_segment segment = segment_at(at);
		if (!segment.wanted)
			continue;

		bool swapped = (segment.pages & PM_PAGE_SWAPPED) != 0;
		struct pm_reader *reader = segment.type == PM_SEGMENT_RUN ? source->target
		                                                          : source->files;
		if (batch->count > 0 && (swapped || reader != batch->reader))
			break;

		uint64_t left = segment.end - segment.start - at->offset;
		uint64_t step = swapped ? pm_min(left, SWAP_STEP) : left;
		uint64_t start = segment.start + at->offset;
		batch->reader = reader;
		batch->ranges[batch->count++] = (struct pm_range){ start, start + step };
		batch->size += (size_t)step;
		at->offset += step;
		if (step < left)
			break;
	}

	return batch->count > 0;
}

int pm_unit_read(const struct pm_unit_source *source, const struct pm_unit *unit, void *buffer,
                 struct pm_error *error)
{
	static const struct pm_unit_around nothing = { 0 };
	return pm_unit_read_around(source, unit, &nothing, buffer, error);
}

int pm_unit_read_around(const struct pm_unit_source *source, const struct pm_unit *unit,
                        const struct pm_unit_around *around, void *buffer, struct pm_error *error)
{
	struct reading reading;
	struct position at = { .unit = unit, .around = *around };
	struct batch batch;
	char *to = buffer;
	int result = 0;

	reading_init(&reading, source);
	while (result == 0 && collect(source, &at, &batch)) {
		result = read_ranges(&reading, batch.reader, batch.ranges, batch.count, to, error);
		to += batch.size;
	}

	tell_unreadable(&reading);
	return result;
}

int pm_unit_read_bytes(const struct pm_unit_source *source, uint64_t address, void *buffer,
                       size_t size, struct pm_error *error)
{
	struct reading reading;
	char *to = buffer;
	int result = 0;

	reading_init(&reading, source);
	while (result == 0 && size > 0) {
		size_t step = pm_min_size(size, PM_UNIT_SIZE);
		struct pm_range range = { address, address + step };
		result = read_ranges(&reading, source->target, &range, 1, to, error);
		address += step;
		to += step;
		size -= step;
	}

	tell_unreadable(&reading);
	return result;
}
