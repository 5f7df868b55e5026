/* SPDX-License-Identifier: MIT */
/*
 * Reads a unit and the bytes around it with as few system calls as possible. Divides the unit into
 * parts. A part ends at bytes that are not wanted or could not be read, and at the end of the unit.
 */
#include "scan/gather.h"

#include "base/array.h"
#include "base/minmax.h"

/** Collects the ranges that could not be read. */
struct notes {
	struct pm_unreadable_list
		/* receives the parts of these ranges that are in the unit */
		*unreadable;
	uint64_t start, end; /* addresses of the unit */
	uint64_t from, to; /* start of the bytes before the unit and end of the bytes after the unit
	                      that were read without a gap */
	bool failed;       /* a range could not be added: out of memory */
};

static void note_gap(struct notes *notes, const struct pm_unreadable *range)
{
	struct pm_unreadable gap = *range;

	gap.start = pm_max(range->start, notes->start);
	gap.end = pm_min(range->end, notes->end);
	if (pm_unreadable_list_add(notes->unreadable, &gap, NULL) < 0)
		notes->failed = true;
}

static void note_unreadable(void *context, const struct pm_unreadable *range)
{
	struct notes *notes = context;
	if (range->start < notes->start)
		notes->from = pm_min(range->end, notes->start);
	if (range->end > notes->end)
		notes->to = pm_min(notes->to, pm_max(range->start, notes->end));
	if (range->start < notes->end && range->end > notes->start)
		note_gap(notes, range);
}

static void note_first(void *context, const struct pm_unreadable *range)
{
	uint64_t *first = context;
	*first = pm_min(*first, range->start);
}

/**
 * Returns the reader for the bytes at `address`, which is after a unit.
 * @param end  end of the bytes to read; lowered to the end of the segment that contains `address`
 */
static struct pm_reader *reader_at(const struct pm_unit_source *source, const struct pm_job *job,
                                   uint64_t address, uint64_t *end)
{
	for (size_t i = 0; i < job->next_count; i++) {
		const struct pm_segment *segment = &job->next[i];
		if (address < segment->start || address >= segment->end)
			continue;

		*end = pm_min(*end, segment->end);
		if (segment->type != PM_SEGMENT_RUN)
			return source->files;
	}

	return source->target;
}

int pm_gather_more(const struct pm_unit_source *source, const struct pm_job *job, uint64_t address,
                   void *buffer, size_t size, size_t *good, struct pm_error *error)
{
	const uint64_t end = address + size;
	uint64_t first = end, part_end;
	char *to = buffer;
	struct pm_unit_source more = { .unreadable = note_first,
		                       .context = &first,
		                       .cancel = source->cancel };

	for (uint64_t at = address; at < first; at = part_end) {
		part_end = end;
		more.target = reader_at(source, job, at, &part_end);
		if (pm_unit_read_bytes(&more, at, to, (size_t)(part_end - at), error) < 0)
			return -1;
		to += part_end - at;
	}

	*good = (size_t)(first - address);
	return 0;
}

static int add_part(struct pm_gathered *gathered, const struct pm_gather_part *part,
                    struct pm_error *error)
{
	if (pm_array_reserve(&gathered->items, &gathered->capacity, gathered->count, 1,
	                     sizeof *gathered->items, error) < 0)
		return -1;
	gathered->items[gathered->count++] = *part;
	return 0;
}

/**
 * Adds a part. If some of its bytes could not be read, adds the parts before, between and after the
 * unreadable bytes instead.
 */
static int add_without_gaps(struct pm_gathered *gathered, struct pm_gather_part part,
                            const struct pm_unreadable_list *unreadable, struct pm_error *error)
{
	for (size_t i = 0; i < unreadable->count; i++) {
		const struct pm_unreadable *gap = &unreadable->items[i];
		uint64_t end = part.address + part.size;
		if (gap->end <= part.address || gap->start >= end)
			continue;

		struct pm_gather_part below = part;
		below.size = (size_t)(pm_max(gap->start, part.address) - part.address);
		below.zeros_after = below.more_after = below.ends = false;
		below.chain_after = 0;
		if (below.size > 0 && add_part(gathered, &below, error) < 0)
			return -1;

		uint64_t next = pm_min(gap->end, end);
		part.bytes += next - part.address;
		part.size = (size_t)(end - next);
		part.address = next;
		part.begins = false;
	}

	if (part.size == 0)
		return 0;
	return add_part(gathered, &part, error);
}

/**
 * Tests whether segment `i` of a unit directly follows the previous segment in memory, and the
 * previous segment was read.
 */
static bool continues(const struct pm_unit *unit, size_t i)
{
	/* cppcheck-suppress arrayIndexOutOfBoundsCond ; i is always below the count */
	return i > 0 && unit->segments[i].follows && unit->segments[i - 1].wanted;
}

/**
 * Fills the fields of a part that describe the memory after the part. Memory that was not selected
 * is not read, so a part ends at the end of a selected range as at that of a region.
 * @param last  index of the last segment of the part
 */
static void find_end(const struct pm_job *job, size_t last, struct pm_gather_part *part)
{
	const struct pm_unit *unit = &job->unit;
	bool continues_after;

	if (last + 1 == unit->count) {
		continues_after = job->continues_after;
		part->chain_after = job->chain_after;
		part->zeros_after = job->zeros_after;
		part->more_after = job->more_after;
	} else {
		const struct pm_segment *next = &unit->segments[last + 1];

		continues_after = next->follows;
		part->zeros_after = next->follows && next->type == PM_SEGMENT_HOLE;
	}

	part->ends = !continues_after;
}

/**
 * Divides a unit into parts.
 * @param bytes  the bytes of all wanted segments of the unit, without gaps
 */
static int make_parts(struct pm_gathered *gathered, const struct pm_job *job, uint8_t *bytes,
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

		struct pm_gather_part part = { .address = first->start, .bytes = bytes };
		part.begins = !first->follows;

		do
			part.size += (size_t)(unit->segments[i].end - unit->segments[i].start);

		while (++i < unit->count && unit->segments[i].wanted && continues(unit, i));

		find_end(job, i - 1, &part);
		bytes += part.size;
		if (add_without_gaps(gathered, part, &job->unreadable, error) < 0)
			return -1;
	}

	return 0;
}

/** Records which bytes were read around the unit: before its first part and after its last part. */
static void add_around(struct pm_gathered *gathered, const struct notes *notes, size_t before)
{
	struct pm_gather_part *first = gathered->items;
	struct pm_gather_part *last = &gathered->items[gathered->count - 1];

	if (before > 0 && first->address == notes->start) {
		first->before = (size_t)(notes->start - notes->from);
		first->begins = false;
	}

	uint64_t seen = notes->end + pm_min(last->chain_after, PM_OVERLAP);
	if (last->chain_after == 0 || last->address + last->size != notes->end)
		return;

	last->after = (size_t)(notes->to - notes->end);
	if (notes->to < seen) {
		last->chain_after = last->after;
		last->zeros_after = last->more_after = false;
	}
}

/**
 * Determines the numbers of bytes to read before and after a unit.
 * @param before  number of bytes needed before the unit
 */
static struct pm_unit_around around_unit(const struct pm_job *job, size_t before)
{
	const struct pm_unit *unit = &job->unit;
	struct pm_unit_around around = {
		.before_type = job->type_before,
		.after_type = PM_SEGMENT_RUN,
	};

	if (job->next_count > 0)
		around.after_type = job->next[0].type;
	if (unit->segments[0].wanted)
		around.before = (size_t)pm_min(before, job->chain_before);
	if (unit->segments[unit->count - 1].wanted)
		around.after = (size_t)pm_min(PM_OVERLAP, job->chain_after);

	return around;
}

int pm_gather(struct pm_gathered *gathered, const struct pm_unit_source *source, struct pm_job *job,
              size_t before, struct pm_error *error)
{
	const struct pm_unit *unit = &job->unit;
	const struct pm_unit_around around = around_unit(job, before);
	uint8_t *bytes = gathered->buffer + PM_LOOKBEHIND_ROOM;
	struct notes notes = { .unreadable = &job->unreadable,
		               .start = unit->segments[0].start,
		               .end = unit->segments[unit->count - 1].end };

	notes.from = notes.start - around.before;
	notes.to = notes.end + around.after;
	pm_unreadable_list_clear(&job->unreadable);

	const struct pm_unit_source noting = { .target = source->target,
		                               .files = source->files,
		                               .unreadable = note_unreadable,
		                               .context = &notes,
		                               .cancel = source->cancel };

	if (pm_unit_read_around(&noting, unit, &around, bytes - around.before, error) < 0)
		return -1;
	if (notes.failed)
		return pm_error_out_of_memory(error);
	if (make_parts(gathered, job, bytes, error) < 0)
		return -1;

	if (gathered->count > 0)
		add_around(gathered, &notes, around.before);

	return 0;
}
