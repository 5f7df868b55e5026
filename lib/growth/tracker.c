/* SPDX-License-Identifier: MIT */
#include <procmem/tracker.h>

#include <stdlib.h>
#include <string.h>

#include <procmem/growth.h>

#include "base/array.h"
#include "base/minmax.h"
#include "growth/assign.h"
#include "growth/curve.h"
#include "growth/tracker_state.h"

int pm_tracker_create(struct pm_tracker **tracker, struct pm_error *error)
{
	struct pm_tracker *created = calloc(1, sizeof *created);
	if (!created)
		return pm_error_out_of_memory(error);

	pm_regions_init(&created->regions);
	pm_regions_init(&created->spare);
	*tracker = created;
	return 0;
}

static void destroy_track(struct pm_followed *followed)
{
	pm_series_deinit(&followed->track.series);
	pm_series_deinit(&followed->track.counts);
	free(followed);
}

void pm_tracker_destroy(struct pm_tracker *tracker)
{
	if (!tracker)
		return;

	for (size_t i = 0; i < tracker->count; i++)
		destroy_track(tracker->tracks[i]);

	free(tracker->tracks);
	free(tracker->public);
	free(tracker->owners);
	pm_regions_deinit(&tracker->regions);
	pm_regions_deinit(&tracker->spare);
	free(tracker);
}

/**
 * Starts a series whose value has just changed for the first time: adds the value that was constant
 * from the first sample of the track until the previous sample.
 *
 * @param track  the track that the series belongs to
 * @param time   time of the current sample, in seconds
 * @param was    value until the previous sample
 */
static int start_series(const struct pm_tracker *tracker, const struct pm_track *track,
                        struct pm_series *series, double time, uint64_t was, struct pm_error *error)
{
	double began = track->since, share = 0;

	/* A track that was born at this sample had the value 0 at the previous sample. */
	if (track->born && track->since >= time)
		began = tracker->last;
	if (pm_series_add(series, began, was, error) < 0 ||
	    (tracker->last > began && pm_series_add(series, tracker->last, was, error) < 0))
		return -1;

	/*
	 * The series lacks the earlier samples, because the value did not change. Estimate their
	 * number, as if all samples were evenly spaced.
	 */
	if (tracker->last > tracker->first)
		share = (tracker->last - began) / (tracker->last - tracker->first);
	series->samples = 1 + (uint64_t)(share * (double)(tracker->samples - 1) + 0.5);

	return 0;
}

/** Adds a value to a series. A series stays empty until its value changes for the first time. */
static int add_value(const struct pm_tracker *tracker, const struct pm_track *track,
                     struct pm_series *series, double time, uint64_t was, uint64_t is,
                     struct pm_error *error)
{
	if (series->count == 0 && was == is)
		return 0;
	if (series->count == 0 && start_series(tracker, track, series, time, was, error) < 0)
		return -1;

	return pm_series_add(series, time, is, error);
}

static int add_to_series(struct pm_tracker *tracker, double time, struct pm_error *error)
{
	tracker->gone = 0;
	for (size_t i = 0; i < tracker->count; i++) {
		struct pm_followed *followed = tracker->tracks[i];
		struct pm_track *track = &followed->track;

		tracker->gone += track->born && track->regions == 0;
		track->delta = (int64_t)(track->weight - followed->was);
		if (track->regions > track->max_regions)
			track->max_regions = track->regions;

		if (tracker->samples == 0) {
			track->baseline = track->weight;
			track->baseline_regions = track->regions;
			track->baseline_size = track->size;
		} else if (add_value(tracker, track, &track->series, time, followed->was,
		                     track->weight, error) < 0 ||
		           add_value(tracker, track, &track->counts, time, followed->was_regions,
		                     track->regions, error) < 0) {
			return -1;
		}

		followed->was = track->weight;
		followed->was_regions = track->regions;
	}

	return 0;
}

/**
 * Clears the strings of tracks without regions. Their strings are in an old list, whose memory is
 * about to be reused. The strings of all other tracks are in the new list.
 */
static void clear_names_of_gone(struct pm_tracker *tracker)
{
	for (size_t i = 0; i < tracker->count; i++) {
		struct pm_track *track = &tracker->tracks[i]->track;

		if (track->regions == 0) {
			track->mapping = "";
			track->detail = (struct pm_detail){ 0 };
		}
	}
}

/**
 * Copies a list of regions, and assigns the regions to tracks. The next list is compared with the
 * copy.
 */
static int adopt(struct pm_tracker *tracker, double time, const struct pm_regions *regions,
                 struct pm_error *error)
{
	struct pm_growth growth;
	struct pm_regions *copy = &tracker->spare;
	struct pm_followed **owners = calloc(regions->count + 1, sizeof(struct pm_followed *));
	int result = 0;

	if (!owners)
		return pm_error_out_of_memory(error);

	pm_regions_clear(copy);
	for (size_t i = 0; i < regions->count && result == 0; i++)
		result = pm_regions_append(copy, &regions->items[i], error);

	if (result == 0)
		result = pm_growth_compare(&tracker->regions, copy, &growth, error);
	if (result == 0) {
		result = pm_assign_tracks(tracker, &growth, copy, owners, time, error);
		pm_growth_deinit(&growth);
	}

	clear_names_of_gone(tracker);
	tracker->settled = tracker->samples > 0;
	free(tracker->owners);
	tracker->owners = owners;

	struct pm_regions former = tracker->regions;
	tracker->regions = tracker->spare;
	tracker->spare = former;

	return result;
}

static bool is_same_region(const struct pm_region *one, const struct pm_region *other)
{
	return one->start == other->start && one->end == other->end &&
	       one->offset == other->offset && one->perms == other->perms &&
	       one->kind == other->kind && one->inode == other->inode &&
	       one->device_major == other->device_major &&
	       one->device_minor == other->device_minor && one->thread == other->thread &&
	       one->arena == other->arena && strcmp(one->mapping, other->mapping) == 0 &&
	       pm_detail_equal(&one->detail, &other->detail);
}

/** Checks whether two lists have the same regions. Sizes are ignored. */
static bool is_same_list(const struct pm_regions *was, const struct pm_regions *is)
{
	if (was->count != is->count)
		return false;

	for (size_t i = 0; i < is->count; i++)
		if (!is_same_region(&was->items[i], &is->items[i]))
			return false;
	return true;
}

/**
 * Updates the sizes of the regions from a list that is_same_list() found equal to the last list.
 */
static void refresh(struct pm_tracker *tracker, const struct pm_regions *regions)
{
	pm_assign_clear_sums(tracker);

	for (size_t i = 0; i < regions->count; i++) {
		struct pm_region *region = &tracker->regions.items[i];
		uint64_t was = pm_region_weight(region);

		region->bytes[PM_SIZE_RSS] = regions->items[i].bytes[PM_SIZE_RSS];
		region->bytes[PM_SIZE_SWAP] = regions->items[i].bytes[PM_SIZE_SWAP];
		pm_followed_count(tracker->owners[i], region, was);
	}
}

int pm_tracker_add(struct pm_tracker *tracker, double time, const struct pm_regions *regions,
                   struct pm_error *error)
{
	/*
	 * The second list must be compared with the first one even if both are the same: the
	 * comparison also finds regions within one list that belong together, such as the heaps of
	 * an arena.
	 */
	if (regions && tracker->settled && is_same_list(&tracker->regions, regions))
		refresh(tracker, regions);
	else if (regions && adopt(tracker, time, regions, error) < 0)
		return -1;

	if (add_to_series(tracker, time, error) < 0)
		return -1;

	if (tracker->samples == 0)
		tracker->first = time;
	tracker->last = time;
	tracker->samples++;

	return 0;
}

void pm_tracker_skip(struct pm_tracker *tracker)
{
	for (size_t i = 0; i < tracker->count; i++)
		tracker->tracks[i]->track.delta = 0;
}

const struct pm_track *const *pm_tracker_tracks(const struct pm_tracker *tracker, size_t *count)
{
	*count = tracker->count;
	return tracker->public;
}

const struct pm_track *pm_tracker_owner(const struct pm_tracker *tracker, size_t region)
{
	return &tracker->owners[region]->track;
}

void pm_tracker_rebase(struct pm_tracker *tracker)
{
	for (size_t i = 0; i < tracker->count; i++) {
		struct pm_track *track = &tracker->tracks[i]->track;

		track->baseline = track->weight;
		track->baseline_regions = track->regions;
		track->baseline_size = track->size;
	}
}

/** Judges the trend of a series. An empty series means a constant value. */
static void judge(const struct pm_tracker *tracker, const struct pm_track *track,
                  const struct pm_series *series, uint64_t value, enum pm_trend_unit unit,
                  struct pm_trend *trend)
{
	if (series->count > 0) {
		pm_trend_judge(series, unit, trend);
		return;
	}

	struct pm_point point = { .time = track->since, .value = value };
	struct pm_series constant = {
		.points = &point, .count = 1, .last = tracker->last, .samples = tracker->samples
	};

	pm_trend_judge(&constant, unit, trend);
}

void pm_track_judge(const struct pm_tracker *tracker, const struct pm_track *track,
                    struct pm_trend *trend)
{
	judge(tracker, track, &track->series, track->weight, PM_TREND_BYTES, trend);
}

void pm_track_judge_count(const struct pm_tracker *tracker, const struct pm_track *track,
                          struct pm_trend *trend)
{
	judge(tracker, track, &track->counts, track->regions, PM_TREND_COUNT, trend);
}

/* Maximum number of tracks that pm_tracker_find_growing() judges of each list of candidates. */
enum { JUDGED_MAX = 8 };

/** The tracks that grew most by some measure, in descending order of growth. */
struct candidates {
	const struct pm_track *tracks[JUDGED_MAX];
	double growths[JUDGED_MAX]; /* bytes */
	size_t count;
};

/**
 * Adds a track if it grew, and if it grew more than one of the candidates or there is room for it.
 */
static void add_candidate(struct candidates *candidates, const struct pm_track *track,
                          double growth)
{
	size_t at = candidates->count;

	if (growth <= 0)
		return;
	if (at < JUDGED_MAX)
		candidates->count++;
	else if (growth <= candidates->growths[--at])
		return;

	for (; at > 0 && candidates->growths[at - 1] < growth; at--) {
		candidates->tracks[at] = candidates->tracks[at - 1];
		candidates->growths[at] = candidates->growths[at - 1];
	}

	candidates->tracks[at] = track;
	candidates->growths[at] = growth;
}

/**
 * Returns by how much both the lowest and the highest value of a series rose from the first half of
 * its time to the second half. Values that rise and fall around one level hardly do so.
 */
static double growth_of_both_ends(const struct pm_series *series)
{
	double from = series->points[0].time, middle = (from + series->last) / 2;
	struct pm_curve_extremes before = pm_curve_extremes(series, from, middle);
	struct pm_curve_extremes after = pm_curve_extremes(series, middle, series->last);

	return pm_min_double(after.lowest - before.lowest, after.highest - before.highest);
}

/** Checks whether one trend is surer growth than another or, if both are as sure, faster growth. */
static bool grows_more(const struct pm_trend *one, const struct pm_trend *other)
{
	if (one->estimate != other->estimate)
		return !one->estimate;

	return pm_trend_growth_rate(one) > pm_trend_growth_rate(other);
}

/**
 * Judges candidates.
 * @param found the track that grows most so far, or NULL; replaced by a candidate that grows more
 * @param trend trend of `found`; replaced, too
 */
static void judge_candidates(const struct pm_tracker *tracker, const struct candidates *candidates,
                             const struct pm_track **found, struct pm_trend *trend)
{
	for (size_t i = 0; i < candidates->count; i++) {
		struct pm_trend judged;

		if (candidates->tracks[i] == *found)
			continue;

		pm_track_judge(tracker, candidates->tracks[i], &judged);
		if (pm_trend_growth_rate(&judged) > 0 && (!*found || grows_more(&judged, trend))) {
			*trend = judged;
			*found = candidates->tracks[i];
		}
	}
}

const struct pm_track *pm_tracker_find_growing(const struct pm_tracker *tracker,
                                               struct pm_trend *trend)
{
	struct candidates larger = { .count = 0 }, lasting = { .count = 0 };
	const struct pm_track *found = NULL;

	for (size_t i = 0; i < tracker->count; i++) {
		const struct pm_track *track = &tracker->tracks[i]->track;
		const struct pm_series *series = &track->series;

		if (track->regions == 0 || series->count == 0)
			continue;

		add_candidate(&larger, track,
		              (double)track->weight - (double)series->points[0].value);
		add_candidate(&lasting, track, growth_of_both_ends(series));
	}

	judge_candidates(tracker, &larger, &found, trend);
	judge_candidates(tracker, &lasting, &found, trend);
	return found;
}
