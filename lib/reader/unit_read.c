/* SPDX-License-Identifier: MIT */
#include <procmem/unit_read.h>

#include <string.h>
#include <unistd.h>

#include "base/minmax.h"
#include "reader/cancel.h"

/*
 * Maximum size in bytes of one read from swap. Reading a swapped page can take 10 ms, and a read
 * cannot be interrupted. With small reads, a cancellation takes effect soon.
 */
static const uint64_t SWAP_STEP = UINT64_C(64) << 10;

/** State of a read. */
struct reading {
	const struct pm_unit_source *source;
	uint64_t page_mask;
	/* The last unreadable range, which was not reported yet; empty if there is none */
	struct pm_range bad;
	struct pm_error why; /* reason why `bad` is unreadable */
};

static void reading_init(struct reading *reading, const struct pm_unit_source *source)
{
	reading->source = source;
	reading->page_mask = (uint64_t)sysconf(_SC_PAGESIZE) - 1;
	reading->bad = (struct pm_range){ 0 };
}

static void report_unreadable(struct reading *reading)
{
	const struct pm_unreadable range = { .start = reading->bad.start,
		                             .end = reading->bad.end,
		                             .os_errno = reading->why.os_errno,
		                             .why = reading->why.text };

	if (range.start != range.end && reading->source->unreadable)
		reading->source->unreadable(reading->source->context, &range);
	reading->bad = (struct pm_range){ 0 };
}

static void note_unreadable(struct reading *reading, uint64_t start, uint64_t end,
                            const struct pm_error *why)
{
	bool same = reading->bad.end == start && reading->bad.start != start &&
	            strcmp(reading->why.text, why->text) == 0;
	if (!same) {
		report_unreadable(reading);
		reading->bad.start = start;
		reading->why = *why;
	}

	reading->bad.end = end;
}

/** Removes `bytes` bytes from the start of a list of ranges, and the ranges that become empty. */
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

/**
 * Reads a list of ranges into consecutive bytes of a buffer. Each unreadable page is skipped: its
 * bytes are set to zero, and it is noted as unreadable. The list is modified.
 */
static int read_ranges(struct reading *reading, struct pm_reader *reader, struct pm_range *ranges,
                       size_t count, char *buffer, struct pm_error *error)
{
	while (count > 0) {
		struct pm_error why = { .text = "unknown reason" };
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

/** A position in a unit or in the bytes directly before or after the unit. */
struct position {
	const struct pm_unit *unit;
	struct pm_unit_around around;
	/* 0: the bytes before the unit; 1 to unit->count: segments of the unit; unit->count + 1:
	 * the bytes after the unit */
	size_t segment;
	uint64_t offset; /* offset from the start of the segment, in bytes */
};

/**
 * Returns the segment at a position. For the bytes before or after the unit, returns a segment that
 * consists of these bytes.
 */
static struct pm_segment segment_at(const struct position *at)
{
	const struct pm_unit *unit = at->unit;
	const struct pm_unit_around *around = &at->around;

	if (at->segment > 0 && at->segment <= unit->count)
		return unit->segments[at->segment - 1];

	if (at->segment == 0) {
		uint64_t end = unit->segments[0].start;
		return (struct pm_segment){ .start = end - around->before,
			                    .end = end,
			                    .type = around->before_type,
			                    .wanted = around->before > 0 };
	}

	uint64_t start = unit->segments[unit->count - 1].end;
	return (struct pm_segment){ .start = start,
		                    .end = start + around->after,
		                    .type = around->after_type,
		                    .wanted = around->after > 0 };
}

/** The ranges that the next call reads. */
struct batch {
	struct pm_reader *reader;
	size_t count; /* number of ranges */
	size_t size;  /* sum of the sizes of the ranges in bytes */
	struct pm_range ranges[PM_UNIT_SEGMENTS + 2];
};

/**
 * Collects the next batch: consecutive wanted segments that have the same reader. Advances the
 * position. A swapped segment is divided into steps of at most SWAP_STEP bytes, and a batch has at
 * most one step, as its first range.
 * @return false if there are no more wanted segments
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

	report_unreadable(&reading);
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

	report_unreadable(&reading);
	return result;
}
