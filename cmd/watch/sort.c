/* SPDX-License-Identifier: MIT */
/** @file Makes rows of what is followed: those that the user chose, judged and sorted. */
#include "watch/sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/** Tracks of the regions that the user chose, sorted. */
struct chosen {
	const struct pm_track **tracks;
	size_t count;
};

static int compare_tracks(const void *one, const void *other)
{
	uintptr_t a = (uintptr_t)*(const struct pm_track *const *)one,
		  b = (uintptr_t)*(const struct pm_track *const *)other;
	return (a > b) - (a < b);
}

static struct chosen find_chosen(const struct watch *watch, const struct pm_region_range *ranges,
                                 size_t count)
{
	struct chosen chosen = { .tracks = alloc_array(NULL, count + 1,
		                                       sizeof(struct pm_track *)) };
	for (size_t i = 0; i < count; i++)
		if (ranges[i].region != SIZE_MAX)
			chosen.tracks[chosen.count++] = pm_tracker_owner(watch->tracker,
			                                                 ranges[i].region);

	qsort(chosen.tracks, chosen.count, sizeof(struct pm_track *), compare_tracks);
	return chosen;
}

/** Whether any region of a track was chosen. */
static bool is_chosen(const struct watch *watch, const struct chosen *chosen,
                      const struct pm_track *track)
{
	/* Of the others there is no picture. */
	if (watch->still || pm_select_is_everything(watch->options->selection.select))
		return true;
	return bsearch(&track, chosen->tracks, chosen->count, sizeof(struct pm_track *),
	               compare_tracks) != NULL;
}

static double sort_key(enum watch_sort sort, const struct watch_row *row)
{
	switch (sort) {
	case WATCH_BY_RATE:
		return row->trend.rate;
	case WATCH_BY_RSS:
		return (double)row->track->weight;
	case WATCH_BY_DELTA:
		return (double)row->track->delta;
	default:
		return (double)row->growth;
	}
}

static int compare_rows(const void *one, const void *other, void *context)
{
	const struct watch_row *a = one, *b = other;
	enum watch_sort sort = *(const enum watch_sort *)context;
	double first = sort_key(sort, a), second = sort_key(sort, b);
	if (first != second)
		return first < second ? 1 : -1;

	/* What does not grow is still told from each other by size, and at last by address. */
	if (a->track->weight != b->track->weight)
		return a->track->weight < b->track->weight ? 1 : -1;

	return (a->track->start > b->track->start) - (a->track->start < b->track->start);
}

void watch_sort_order(struct watch_row *rows, size_t count, enum watch_sort sort)
{
	if (count > 0)
		qsort_r(rows, count, sizeof *rows, compare_rows, &sort);
}

/**
 * Whether anything of it ever changed that is worth a row. Guards come and go with what they guard.
 */
static bool has_changed(const struct pm_track *track)
{
	if (track->kind == PM_KIND_GUARD && track->series.count == 0)
		return false;
	return track->series.count > 0 || track->counts.count > 0;
}

/** Sums up by kind. */
static void count_kind(struct watch *watch, const struct pm_track *track)
{
	watch->kind_weights[track->kind] += track->weight;
	watch->kind_regions[track->kind] += track->regions;
}

static void judge_bytes(const struct watch *watch, const struct pm_track *track,
                        struct pm_trend *trend)
{
	if (!watch->still || track->series.count > 0) {
		pm_track_judge(watch->tracker, track, trend);
		return;
	}

	/* What never changed was constant until the moment of the picture; the tracker has gone on.
	 */
	struct pm_point point = { .time = track->since, .value = track->weight };
	const struct pm_series constant = {
		.points = &point, .count = 1, .last = watch->sample.time, .samples = watch->samples
	};

	pm_trend_judge(&constant, PM_TREND_BYTES, trend);
}

void watch_sort_judge(const struct watch *watch, struct watch_row *row)
{
	judge_bytes(watch, row->track, &row->trend);
	if (row->track->counts.count > 0)
		pm_track_judge_count(watch->tracker, row->track, &row->count_trend);
}

/** What rows can be made of. */
static const struct pm_track *const *find_tracks(const struct watch *watch, size_t *count)
{
	*count = watch->still_count;
	return watch->still ? watch->still : pm_tracker_tracks(watch->tracker, count);
}

/** Adds a row for each track that has one; sorting by size wants what did not change as well. */
static void add_rows(struct watch *watch, const struct chosen *chosen)
{
	size_t count;
	bool all = watch->options->sort == WATCH_BY_RSS;
	const struct pm_track *const *tracks = find_tracks(watch, &count);

	watch->rows = alloc_array(watch->rows, count, sizeof *watch->rows);
	watch->row_count = 0;
	memset(watch->kind_weights, 0, sizeof watch->kind_weights);
	memset(watch->kind_regions, 0, sizeof watch->kind_regions);

	for (size_t i = 0; i < count; i++) {
		if (!is_chosen(watch, chosen, tracks[i]))
			continue;
		count_kind(watch, tracks[i]);
		if (!(all && tracks[i]->weight > 0) && !has_changed(tracks[i]))
			continue;
		struct watch_row *row = &watch->rows[watch->row_count++];
		*row = (struct watch_row){ .track = tracks[i],
			                   .growth = (int64_t)(tracks[i]->weight -
			                                       tracks[i]->baseline) };
		if (watch->options->sort == WATCH_BY_RATE && !watch->unjudged)
			judge_bytes(watch, tracks[i], &row->trend);
	}
}

/**
 * Finds what the user chose of the regions that are there now. That there is nothing of it is no
 * failure: it may come, or be gone.
 */
static int apply_selection(struct watch *watch, struct pm_region_range **ranges, size_t *count,
                           struct pm_error *error)
{
	const struct pm_select *select = watch->options->selection.select;
	struct pm_error failure;

	watch->none_chosen = (struct pm_error){ 0 };
	if (watch->still || pm_select_is_everything(select) ||
	    pm_select_apply(select, watch->sample.regions, ranges, count, &failure) == 0)
		return 0;
	if (failure.kind == PM_ERROR_NOT_FOUND) {
		watch->none_chosen = failure;
		return 0;
	}

	*error = failure;
	return -1;
}

int watch_sort_rows(struct watch *watch, struct pm_error *error)
{
	struct pm_region_range *ranges = NULL;
	size_t range_count = 0;
	if (apply_selection(watch, &ranges, &range_count, error) < 0)
		return -1;

	struct chosen chosen = find_chosen(watch, ranges, range_count);
	add_rows(watch, &chosen);
	free(chosen.tracks);
	free(ranges);
	watch_sort_order(watch->rows, watch->row_count, watch->options->sort);
	if (watch->all_rows || watch->unjudged)
		return 0;

	if (watch->row_count > watch->options->top)
		watch->row_count = (size_t)watch->options->top;

	/* Judging looks at all pairs of moments: only for those that are shown. */
	for (size_t i = 0; i < watch->row_count; i++)
		watch_sort_judge(watch, &watch->rows[i]);

	return 0;
}
