/* SPDX-License-Identifier: MIT */
/*
 * Remembers the pages that appeared when each track last grew, and searches them for strings. The
 * CPU time of a search counts against the budget of the sampler. The number of bytes to search is
 * computed from the CPU time that the budget allows now, and from the speed of the last search.
 */
#include "watch/peek/peek.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"

enum {
	KEPT_MAX = 1 << 20, /* maximum number of ranges that are kept, which use 40 MiB of memory */
};

/* Limits of the number of bytes that are searched for one sample, in all rows together. */
static const uint64_t min_bytes = 256 << 10, max_bytes = 8 << 20;
static const uint64_t max_without_budget = 64 << 20;

/* Maximum number of bytes that are searched when the user selects a row. */
static const uint64_t max_asked_for = 64 << 20;

/* Assumed speed of the first search, in bytes per second of CPU time. */
static const double first_speed = 200e6;

/** A range of pages that appeared, and its track. */
struct kept {
	const struct pm_track *track;
	struct pm_region_range range;
};

/** The strings that were found when a track last grew. */
struct finding {
	const struct pm_track *track;
	struct peek_result result;
};

struct peek {
	struct pm_page_strings *strings;
	struct kept *kept; /* for each track, the pages that appeared when the track last grew;
	                      sorted by track and address */
	size_t kept_count;
	struct finding *findings; /* one for each track that grew while it had a row */
	size_t finding_count;
	size_t finding_capacity;
	double speed; /* speed of the last search, in bytes per second of CPU time */
};

int peek_open(struct pm_process *process, bool readable, struct peek **peek, struct pm_error *error)
{
	struct peek *opened = alloc_array(NULL, 1, sizeof *opened);

	*opened = (struct peek){ .speed = first_speed };
	if (pm_page_strings_open(process, readable, &opened->strings, error) < 0) {
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
		peek_result_deinit(&peek->findings[i].result);

	free(peek->findings);
	free(peek->kept);
	pm_page_strings_close(peek->strings);
	free(peek);
}

void peek_result_deinit(struct peek_result *result)
{
	pm_page_strings_found_deinit(&result->found);
	*result = (struct peek_result){ 0 };
}

static int compare_kept(const void *one, const void *other)
{
	const struct kept *a = one, *b = other;
	if (a->track != b->track)
		return (uintptr_t)a->track < (uintptr_t)b->track ? -1 : 1;
	return (a->range.range.start > b->range.range.start) -
	       (a->range.range.start < b->range.range.start);
}

/**
 * Finds the index of the first range of a track. If the track has no range, this is the index at
 * which the range would be inserted.
 */
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
 * Adds the pages that appeared in the last sample. If a track has new pages, they replace the
 * ranges that were kept for this track. Other tracks keep their ranges.
 */
static void keep_new(struct peek *peek, const struct watch_history *history)
{
	const struct pm_sample *sample = &history->sample;
	size_t count = sample->appeared_count;
	struct kept *kept = alloc_array(NULL, count + peek->kept_count, sizeof *kept);

	for (size_t i = 0; i < count; i++) {
		const struct pm_region_range *range = &sample->appeared[i];
		kept[i] = (struct kept){ watch_history_owner(history, range->region), *range };
	}

	qsort(kept, count, sizeof *kept, compare_kept);
	size_t fresh = count;
	for (size_t i = 0; i < peek->kept_count && count < KEPT_MAX; i++) {
		const struct pm_track *track = peek->kept[i].track;
		size_t same = find_kept(kept, fresh, track);
		if (same == fresh || kept[same].track != track)
			kept[count++] = peek->kept[i];
	}

	qsort(kept, count, sizeof *kept, compare_kept);
	free(peek->kept);
	peek->kept = kept;
	peek->kept_count = count;
}

/** Addresses of which pages are collected, and the track to which they must belong. */
struct scope {
	const struct pm_track *track;
	struct pm_range bounds;
};

static struct scope scope_of(const struct watch_row *row)
{
	if (row->part_of)
		return (struct scope){ row->part_of, { row->track->start, row->track->end } };
	return (struct scope){ row->track, { 0, UINT64_MAX } };
}

/**
 * Adds the parts of a range that still belong to a track. The rest of the range may have been
 * unmapped, or may now belong to regions of other tracks.
 */
static int collect_range(const struct watch_history *history, const struct scope *scope,
                         struct pm_range range, struct pm_page_set *pages, struct pm_error *error)
{
	const struct pm_regions *regions = history->sample.regions;

	range = pm_range_clip(range, scope->bounds);
	if (range.start == range.end)
		return 0;

	for (size_t i = pm_regions_index(regions, range.start);
	     i < regions->count && regions->items[i].start < range.end; i++) {
		const struct pm_region *region = &regions->items[i];
		struct pm_range bounds = { region->start, region->end };

		if (watch_history_owner(history, i) == scope->track &&
		    pm_page_set_add(pages, pm_range_clip(range, bounds), regions, error) < 0)
			return -1;
	}

	return 0;
}

/** Collects the newest pages of a track. */
static int collect(const struct peek *peek, const struct watch_history *history,
                   const struct scope *scope, struct pm_page_set *pages, struct pm_error *error)
{
	for (size_t i = find_kept(peek->kept, peek->kept_count, scope->track);
	     i < peek->kept_count && peek->kept[i].track == scope->track; i++)
		if (collect_range(history, scope, peek->kept[i].range.range, pages, error) < 0)
			return -1;

	return 0;
}

/** Collects all pages of a track. */
static int collect_all(const struct watch_history *history, const struct scope *scope,
                       struct pm_page_set *pages, struct pm_error *error)
{
	const struct pm_regions *regions = history->sample.regions;

	for (size_t i = 0; i < regions->count; i++) {
		struct pm_range range = { regions->items[i].start, regions->items[i].end };

		if (collect_range(history, scope, range, pages, error) < 0)
			return -1;
	}

	return 0;
}

/**
 * Computes the number of bytes that may be searched now, from the CPU time that --budget allows now
 * and from the speed of the last search.
 */
static uint64_t allowance(const struct peek *peek, const struct watch_history *history)
{
	double credit = history->sample.cost.credit;
	if (isinf(credit))
		return max_without_budget;

	/* Use half of the CPU time that is available now. The other half remains for samples that
	 * cost more than usual. */
	double bytes = credit / 2 * peek->speed;
	if (bytes < (double)min_bytes)
		return min_bytes;
	if (bytes > (double)max_bytes)
		return max_bytes;

	return (uint64_t)bytes;
}

/** Checks whether a string is the beginning of a longer one. */
static bool begins(const struct pm_page_string *shorter, const struct pm_page_string *longer)
{
	return shorter->length < longer->length &&
	       memcmp(shorter->bytes, longer->bytes, shorter->length) == 0;
}

/** Removes the strings of a list that one string makes redundant. @return the new length */
static size_t remove_beginnings(struct pm_page_string *list, size_t count,
                                const struct pm_page_string *longer)
{
	size_t kept = 0;

	/* A beginning that is far more frequent than the longer string says more than that. */
	for (size_t i = 0; i < count; i++)
		if (!begins(&list[i], longer) || list[i].count > 2 * longer->count)
			list[kept++] = list[i];

	return kept;
}

/**
 * Keeps the `max` most frequent strings. A string that is the beginning of a longer one that is
 * kept is left out, unless it was found more than twice as often as the longer one.
 */
static void choose_strings(struct pm_page_strings_found *found, size_t max)
{
	struct pm_page_string *list = found->strings;
	size_t kept = 0;

	for (size_t i = 0; i < found->count && kept < max; i++) {
		struct pm_page_string candidate = list[i];
		size_t at = 0;

		while (at < kept && !begins(&candidate, &list[at]))
			at++;
		if (at < kept)
			continue;

		kept = remove_beginnings(list, kept, &candidate);
		list[kept++] = candidate;
	}

	found->count = kept;
}

static bool has_grown(const struct watch_row *row)
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

static struct finding *add_finding(struct peek *peek, const struct pm_track *track)
{
	if (peek->finding_count == peek->finding_capacity) {
		peek->finding_capacity = peek->finding_capacity ? peek->finding_capacity * 2 : 16;
		peek->findings = alloc_array(peek->findings, peek->finding_capacity,
		                             sizeof *peek->findings);
	}

	struct finding *finding = &peek->findings[peek->finding_count++];
	*finding = (struct finding){ .track = track };
	return finding;
}

/** Stores the result of a search for a track, and releases the previous result of this track. */
static void keep_result(struct peek *peek, const struct pm_track *track,
                        const struct peek_result *result)
{
	struct finding *finding = find_finding(peek, track);
	if (!finding)
		finding = add_finding(peek, track);

	peek_result_deinit(&finding->result);
	finding->result = *result;
}

/**
 * Searches the new pages of a row.
 * @param room maximum number of bytes to search
 * @param max maximum number of strings to keep
 * @param searched receives the number of bytes searched
 */
static int search_row(struct peek *peek, const struct watch_history *history,
                      const struct pm_track *track, uint64_t room, size_t max, uint64_t *searched,
                      struct pm_error *error)
{
	/* Find more strings than are kept, because choose_strings() leaves some out. */
	const struct pm_page_strings_options options = { .max = max * 4 + 16 };
	struct peek_result result = { .time = history->sample.time };
	struct pm_page_set pages = { 0 };

	*searched = 0;
	const struct scope scope = { track, { 0, UINT64_MAX } };
	int status = collect(peek, history, &scope, &pages, error);
	if (status == 0)
		status = pm_page_set_thin(&pages, room, error);

	if (status == 0 && pages.bytes > 0) {
		status = pm_page_strings_find(peek->strings, &pages, &options, &result.found,
		                              error);
		if (status == 0) {
			*searched = result.found.searched;
			choose_strings(&result.found, max);
			keep_result(peek, track, &result);
		}
	}

	pm_page_set_deinit(&pages);
	return status;
}

/** Searches the new pages of all rows that grew in the last sample. */
static int search_rows(struct peek *peek, const struct watch_history *history,
                       const struct watch_view *view, uint64_t max, struct pm_error *error)
{
	size_t grown = 0;

	for (size_t i = 0; i < view->row_count; i++)
		grown += has_grown(&view->rows[i]);

	if (grown == 0)
		return 0;
	if (pm_page_strings_begin(peek->strings, history->sample.regions, error) < 0)
		return -1;

	uint64_t left = allowance(peek, history), searched = 0;
	double began = clock_cpu_seconds();
	int status = 0;

	for (size_t i = 0; i < view->row_count && grown > 0 && status == 0; i++) {
		const struct watch_row *row = &view->rows[i];
		uint64_t in_row;

		if (!has_grown(row))
			continue;

		/* Bytes that one row does not use are available for the next rows. */
		status = search_row(peek, history, row->track, left / grown--, (size_t)max, &in_row,
		                    error);
		left -= in_row < left ? in_row : left;
		searched += in_row;
	}

	pm_page_strings_end(peek->strings);
	double seconds = clock_cpu_seconds() - began;
	if (searched > 0 && seconds > 0)
		peek->speed = (double)searched / seconds;

	return status;
}

int peek_step(struct peek *peek, const struct watch_history *history, const struct watch_view *view,
              uint64_t max, struct pm_error *error)
{
	struct pm_error failure = { 0 };

	if (!history->sample.fresh || history->sample.appeared_count == 0)
		return 0;

	keep_new(peek, history);
	if (max == 0 || search_rows(peek, history, view, max, &failure) == 0)
		return 0;

	/* The process is gone. This is not an error here: taking the next sample fails, and then
	 * the reason is reported. */
	if (failure.kind == PM_ERROR_GONE)
		return 0;

	*error = failure;
	return -1;
}

const struct peek_result *peek_found(const struct peek *peek, const struct watch_row *row)
{
	const struct finding *finding = NULL;
	if (peek)
		finding = find_finding(peek, row->track);

	return finding ? &finding->result : NULL;
}

int peek_newest(const struct peek *peek, const struct watch_history *history,
                const struct watch_row *row, const struct pm_page_strings_options *options,
                struct peek_result *result, struct pm_error *error)
{
	struct pm_page_set pages = { 0 };

	if (row->track->regions == 0)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "the region is gone");

	const struct scope scope = scope_of(row);
	int status = collect(peek, history, &scope, &pages, error);
	bool all = pages.bytes == 0;
	if (status == 0 && all)
		status = collect_all(history, &scope, &pages, error);
	if (status == 0 && row->part_of && pages.bytes == 0)
		status = pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
		                      "the region is gone, or has no pages");
	if (status == 0)
		status = pm_page_set_thin(&pages, max_asked_for, error);

	if (status == 0)
		status = pm_page_strings_begin(peek->strings, history->sample.regions, error);
	if (status == 0)
		status = pm_page_strings_find(peek->strings, &pages, options, &result->found,
		                              error);
	if (status == 0)
		result->all = all;

	pm_page_strings_end(peek->strings);
	pm_page_set_deinit(&pages);
	return status;
}
