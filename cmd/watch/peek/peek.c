/* SPDX-License-Identifier: MIT */
#include "watch/peek/peek.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "watch/peek/scan.h"

enum {
	KEPT_MAX = 1 << 20, /* ranges that are kept in mind: 40 MiB */
};

/* Bytes that are looked through for one sample, all rows together. */
static const uint64_t min_bytes = 256 << 10, max_bytes = 8 << 20, most_without_budget = 64 << 20;

/* Bytes that are looked through when the user asks for one row. */
static const uint64_t max_asked_for = 64 << 20;

/* Bytes read and searched in a second of CPU time, as long as nothing was measured. */
static const double first_speed = 200e6;

/** Pages that appeared, and in whose memory. */
struct kept {
	const struct pm_track *track;
	struct pm_region_range range;
};

/** What was found when a track grew the last time. */
struct finding {
	const struct pm_track *track;
	struct peek_result peek;
};

struct peek {
	struct peek_scan scan;
	struct kept *kept; /* by track, then by address: of each track those of the sample in which
	                      some appeared last */
	size_t kept_count;
	struct finding *findings; /* of all that grew while they were shown */
	size_t finding_count;
	size_t finding_capacity;
	double speed; /* bytes in a second of CPU time */
};

int peek_open(const struct watch_options *options, const struct target *target, struct peek **peek,
              struct pm_error *error)
{
	struct peek *opened = alloc_array(NULL, 1, sizeof *opened);
	*opened = (struct peek){ .speed = first_speed };
	if (peek_scan_open(&opened->scan, target->process, options->peek > 0, error) < 0) {
		peek_close(opened);
		return -1;
	}

	*peek = opened;
	return 0;
}

void peek_close(struct peek *peek)
{
	if (!peek)
		return;

	for (size_t i = 0; i < peek->finding_count; i++)
		peek_result_deinit(&peek->findings[i].peek);

	free(peek->findings);
	free(peek->kept);
	peek_scan_close(&peek->scan);
	free(peek);
}

static int compare_kept(const void *one, const void *other)
{
	const struct kept *a = one, *b = other;
	if (a->track != b->track)
		return (uintptr_t)a->track < (uintptr_t)b->track ? -1 : 1;
	return (a->range.range.start > b->range.range.start) -
	       (a->range.range.start < b->range.range.start);
}

/** Index of the first range of a track or of the one that would follow it. */
static size_t find_kept(const struct kept *kept, size_t count, const struct pm_track *track)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if ((uintptr_t)kept[middle].track < (uintptr_t)track)
			low = middle + 1;
		else
			high = middle;
	}

	return low;
}

/**
 * Takes over what appeared in the last sample; a track of which nothing appeared keeps what it had.
 */
static void keep_new(struct watch *watch)
{
	const struct pm_sample *sample = &watch->sample;
	struct peek *peek = watch->peek;
	size_t count = sample->appeared_count;
	if (count == 0)
		return;

	struct kept *kept = alloc_array(NULL, count + peek->kept_count, sizeof *kept);
	for (size_t i = 0; i < count; i++)
		kept[i] = (struct kept){ .track = pm_tracker_owner(watch->tracker,
			                                           sample->appeared[i].region),
			                 .range = sample->appeared[i] };

	qsort(kept, count, sizeof *kept, compare_kept);
	size_t fresh = count;
	for (size_t i = 0; i < peek->kept_count && count < KEPT_MAX; i++) {
		size_t same = find_kept(kept, fresh, peek->kept[i].track);
		if (same == fresh || kept[same].track != peek->kept[i].track)
			kept[count++] = peek->kept[i];
	}

	qsort(kept, count, sizeof *kept, compare_kept);
	free(peek->kept);
	peek->kept = kept;
	peek->kept_count = count;
}

/** Adds what of a range belongs to a track by now: another region may have taken its place. */
static void collect_range(const struct watch *watch, const struct pm_track *track,
                          const struct pm_region_range *range, struct peek_pages *pages)
{
	const struct pm_regions *regions = watch->sample.regions;
	for (size_t i = pm_regions_index(regions, range->range.start);
	     i < regions->count && regions->items[i].start < range->range.end; i++) {
		const struct pm_region *region = &regions->items[i];
		if (pm_tracker_owner(watch->tracker, i) == track)
			peek_pages_add(pages,
			               range->range.start > region->start ? range->range.start
			                                                  : region->start,
			               range->range.end < region->end ? range->range.end
			                                              : region->end,
			               regions);
	}
}

/** Collects the pages of a track that appeared last. */
static void collect(const struct watch *watch, const struct pm_track *track,
                    struct peek_pages *pages)
{
	const struct peek *peek = watch->peek;
	for (size_t i = find_kept(peek->kept, peek->kept_count, track);
	     i < peek->kept_count && peek->kept[i].track == track; i++)
		collect_range(watch, track, &peek->kept[i].range, pages);
}

/**
 * How many bytes may be looked through now. The sampler counts the time like that of its own looks.
 */
static uint64_t allowance(const struct watch *watch)
{
	double credit = watch->sample.cost.credit;
	if (isinf(credit))
		return most_without_budget;

	/* The other half is for looks that cost more than usual. */
	double bytes = credit / 2 * watch->peek->speed;
	return bytes<(double)min_bytes ? min_bytes : bytes>(double) max_bytes ? max_bytes
	                                                                      : (uint64_t)bytes;
}

static bool has_news(const struct watch_row *row)
{
	return row->track->delta > 0 && row->track->regions > 0;
}

static struct finding *find_finding(const struct peek *peek, const struct pm_track *track)
{
	for (size_t i = 0; i < peek->finding_count; i++)
		if (peek->findings[i].track == track)
			return &peek->findings[i];
	return NULL;
}

/** Keeps what was found, in place of what was found before. */
static void keep_finding(struct peek *peek, const struct pm_track *track,
                         const struct peek_result *found)
{
	struct finding *finding = find_finding(peek, track);
	if (!finding) {
		if (peek->finding_count == peek->finding_capacity) {
			peek->finding_capacity = peek->finding_capacity ? peek->finding_capacity * 2
			                                                : 16;
			peek->findings = alloc_array(peek->findings, peek->finding_capacity,
			                             sizeof *peek->findings);
		}
		finding = &peek->findings[peek->finding_count++];
		*finding = (struct finding){ .track = track };
	}

	peek_result_deinit(&finding->peek);
	finding->peek = *found;
}

/** Looks through the new pages of all rows that grew. */
static int look(struct watch *watch, struct pm_error *error)
{
	struct peek *peek = watch->peek;
	size_t grown = 0;
	for (size_t i = 0; i < watch->row_count; i++)
		grown += has_news(&watch->rows[i]);

	if (grown == 0)
		return 0;
	if (peek_scan_begin(&peek->scan, watch->sample.regions, error) < 0)
		return -1;

	uint64_t left = allowance(watch), searched = 0;
	double began = clock_cpu_seconds();
	int result = 0;
	for (size_t i = 0; i < watch->row_count && grown > 0 && result == 0; i++) {
		const struct watch_row *row = &watch->rows[i];
		struct peek_pages pages = { 0 };

		if (!has_news(row))
			continue;

		collect(watch, row->track, &pages);
		/* What one row leaves over is for the next ones. */
		peek_pages_thin(&pages, left / grown--);

		struct peek_result found = { 0 };
		if (pages.bytes > 0 &&
		    (result = peek_scan_run(&peek->scan, &pages, (size_t)watch->options->peek, NULL,
		                            &found, error)) == 0) {
			left -= found.searched < left ? found.searched : left;
			searched += found.searched;
			found.time = watch->sample.time;
			keep_finding(peek, row->track, &found);
		}

		peek_pages_deinit(&pages);
	}

	peek_scan_end(&peek->scan);
	double took = clock_cpu_seconds() - began;
	if (searched > 0 && took > 0)
		peek->speed = (double)searched / took;

	return result;
}

int peek_step(struct watch *watch, struct pm_error *error)
{
	if (!watch->peek)
		return 0;

	struct pm_error failure = { 0 };
	if (!watch->sample.fresh || watch->sample.appeared_count == 0)
		return 0;

	keep_new(watch);
	if (watch->options->peek == 0 || look(watch, &failure) == 0)
		return 0;
	/* That the process is gone is told by the next sample, with its reason. */
	if (failure.kind == PM_ERROR_GONE)
		return 0;

	*error = failure;
	return -1;
}

const struct peek_result *peek_found(const struct watch *watch, const struct watch_row *row)
{
	const struct finding *finding = watch->peek ? find_finding(watch->peek, row->track) : NULL;
	return finding ? &finding->peek : NULL;
}

int peek_newest(const struct watch *watch, const struct watch_row *row, size_t top,
                const struct peek_follow *follow, struct peek_result *found, struct pm_error *error)
{
	const struct pm_regions *regions = watch->sample.regions;
	struct peek_pages pages = { 0 };

	if (row->track->regions == 0)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "the region is gone");

	collect(watch, row->track, &pages);
	bool all = pages.bytes == 0;
	for (size_t i = 0; all && i < regions->count; i++)
		if (pm_tracker_owner(watch->tracker, i) == row->track)
			peek_pages_add(&pages, regions->items[i].start, regions->items[i].end,
			               regions);

	peek_pages_thin(&pages, max_asked_for);
	int result = peek_scan_begin(&watch->peek->scan, regions, error);
	if (result == 0)
		result = peek_scan_run(&watch->peek->scan, &pages, top, follow, found, error);
	if (result == 0)
		found->all = all;
	peek_scan_end(&watch->peek->scan);
	peek_pages_deinit(&pages);

	return result;
}
