/* SPDX-License-Identifier: MIT */
#include "scan/gather.h"

#include "base/array.h"
#include "base/minmax.h"

/** Where it is noted down what could not be read. */
struct notes {
	struct pm_unreadable_list *unreadable; /* in the unit */
	uint64_t start, end;                   /* of the unit */
	uint64_t from, to; /* of all that could be read around it without a gap */
	bool failed;       /* out of memory */
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
 * The reader of what lies behind a unit.
 * @param end lowered to where it ends to be the right one
 */
static struct pm_reader *reader_at(const struct pm_unit_source *source, const struct pm_job *job,
                                   uint64_t address, uint64_t *end)
{
	for (size_t i = 0; i < job->next_count; i++) {
		const struct pm_segment *segment = &job->next[i];
		if (address >= segment->start && address < segment->end) {
			*end = pm_min(*end, segment->end);
			return segment->type == PM_SEGMENT_RUN ? source->target : source->files;
		}
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

static int add_stretch(struct pm_gathered *gathered, const struct pm_gather_part *stretch,
                       struct pm_error *error)
{
	if (pm_array_reserve(&gathered->items, &gathered->capacity, gathered->count, 1,
	                     sizeof *gathered->items, error) < 0)
		return -1;
	gathered->items[gathered->count++] = *stretch;
	return 0;
}

/**
 * Adds a stretch without the bytes that could not be read: what is around those does not belong
 * together.
 */
static int add_without_gaps(struct pm_gathered *gathered, struct pm_gather_part stretch,
                            const struct pm_unreadable_list *unreadable, struct pm_error *error)
{
	for (size_t i = 0; i < unreadable->count; i++) {
		const struct pm_unreadable *gap = &unreadable->items[i];
		uint64_t end = stretch.address + stretch.size;
		if (gap->end <= stretch.address || gap->start >= end)
			continue;

		struct pm_gather_part below = stretch;
		below.size = gap->start > stretch.address ? (size_t)(gap->start - stretch.address)
		                                          : 0;
		below.zeros_after = below.more_after = below.ends = false;
		below.chain_after = 0;
		if (below.size > 0 && add_stretch(gathered, &below, error) < 0)
			return -1;

		uint64_t next = pm_min(gap->end, end);
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
static void look_behind_end(const struct pm_regions *regions, const struct pm_job *job, size_t last,
                            struct pm_gather_part *stretch)
{
	const struct pm_unit *unit = &job->unit;
	const struct pm_segment *segment = &unit->segments[last];
	bool at_end = last + 1 == unit->count;
	bool goes_on = at_end ? job->goes_on : unit->segments[last + 1].follows;

	stretch->ends = !goes_on && segment->end == regions->items[segment->region].end;
	if (at_end) {
		stretch->chain_after = job->chain_after;
		stretch->zeros_after = job->zeros_after;
		stretch->more_after = job->more_after;
	} else
		stretch->zeros_after = goes_on && unit->segments[last + 1].type == PM_SEGMENT_HOLE;
}

/** Makes the stretches of a unit whose bytes begin at `bytes`. */
static int make_stretches(struct pm_gathered *gathered, const struct pm_regions *regions,
                          const struct pm_job *job, uint8_t *bytes, struct pm_error *error)
{
	const struct pm_unit *unit = &job->unit;

	gathered->count = 0;
	for (size_t i = 0; i < unit->count;) {
		const struct pm_segment *first = &unit->segments[i];
		if (!first->wanted) {
			i++;
			continue;
		}

		struct pm_gather_part stretch = { .address = first->start, .bytes = bytes };
		stretch.begins = !first->follows &&
		                 first->start == regions->items[first->region].start;

		do
			stretch.size += (size_t)(unit->segments[i].end - unit->segments[i].start);

		while (++i < unit->count && unit->segments[i].wanted && continues(unit, i));

		look_behind_end(regions, job, i - 1, &stretch);
		bytes += stretch.size;
		if (add_without_gaps(gathered, stretch, &job->unreadable, error) < 0)
			return -1;
	}

	return 0;
}

/** Gives the bytes that could be read around the unit to its first and its last stretch. */
static void add_around(struct pm_gathered *gathered, const struct notes *notes, size_t before)
{
	struct pm_gather_part *first = gathered->items,
			      *last = &gathered->items[gathered->count - 1];
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
 * What to read around a unit.
 * @param before bytes wanted before it
 */
static struct pm_unit_around around_unit(const struct pm_job *job, size_t before)
{
	const struct pm_unit *unit = &job->unit;
	struct pm_unit_around around = { .before_type = job->type_before };
	around.after_type = job->next_count > 0 ? job->next[0].type : PM_SEGMENT_RUN;
	if (unit->segments[0].wanted)
		around.before = (size_t)pm_min(before, job->chain_before);
	if (unit->segments[unit->count - 1].wanted)
		around.after = (size_t)pm_min(PM_OVERLAP, job->chain_after);
	return around;
}

int pm_gather(struct pm_gathered *gathered, const struct pm_regions *regions,
              const struct pm_unit_source *source, struct pm_job *job, size_t before,
              struct pm_error *error)
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
	if (make_stretches(gathered, regions, job, bytes, error) < 0)
		return -1;

	if (gathered->count > 0)
		add_around(gathered, &notes, around.before);

	return 0;
}
