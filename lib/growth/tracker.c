/* SPDX-License-Identifier: MIT */
#include <procmem/tracker.h>

#include <stdlib.h>
#include <string.h>

#include <procmem/growth.h>

#include "base/array.h"
#include "growth/assign.h"
#include "growth/followed.h"
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

static void destroy_track(struct followed *followed)
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
	free(tracker->owners);
	pm_regions_deinit(&tracker->regions);
	pm_regions_deinit(&tracker->spare);
	free(tracker);
}

/** Begins a series with the time in which nothing changed, if it has not begun. */
static int add_value(const struct pm_tracker *tracker, const struct pm_track *track,
                     struct pm_series *series, double time, uint64_t was, uint64_t is,
                     struct pm_error *error)
{
	if (series->count == 0 && was == is)
		return 0;

	if (series->count == 0) {
		/* What was born counts from nothing, as of the sample before. */
		double began = track->born && track->since >= time ? tracker->last : track->since;
		if (pm_series_add(series, began, was, error) < 0 ||
		    (tracker->last > began && pm_series_add(series, tracker->last, was, error) < 0))
			return -1;
		double share = tracker->last > tracker->first
		                       ? (tracker->last - began) / (tracker->last - tracker->first)
		                       : 0;
		series->samples = 1 + (uint64_t)(share * (double)(tracker->samples - 1) + 0.5);
	}

	return pm_series_add(series, time, is, error);
}

static int add_to_series(struct pm_tracker *tracker, double time, struct pm_error *error)
{
	tracker->gone = 0;
	for (size_t i = 0; i < tracker->count; i++) {
		struct followed *followed = tracker->tracks[i];
		struct pm_track *track = &followed->track;
		tracker->gone += track->born && track->regions == 0;
		track->delta = (int64_t)(track->weight - followed->was);
		if (track->regions > track->max_regions)
			track->max_regions = track->regions;

		if (tracker->samples == 0) {
			track->baseline = track->weight;
			track->baseline_regions = track->regions;
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

/** Takes over a new list of regions. */
static int follow(struct pm_tracker *tracker, double time, const struct pm_regions *regions,
                  struct pm_error *error)
{
	struct pm_growth growth;
	struct pm_regions *copy = &tracker->spare;
	struct followed **owners = calloc(regions->count + 1, sizeof(struct followed *));
	if (!owners)
		return pm_error_out_of_memory(error);

	int result = 0;
	pm_regions_clear(copy);
	for (size_t i = 0; i < regions->count && result == 0; i++)
		result = pm_regions_append(copy, &regions->items[i], error);

	if (result == 0)
		result = pm_growth_compare(&tracker->regions, copy, &growth, error);
	if (result == 0) {
		result = pm_tracker_assign(tracker, &growth, copy, owners, time, error);
		pm_growth_deinit(&growth);
	}

	/* Names of tracks point into the newest list that they have a region in; those that have
	 * none any more keep none. */
	for (size_t i = 0; i < tracker->count; i++) {
		struct pm_track *track = &tracker->tracks[i]->track;
		if (track->regions == 0) {
			track->mapping = "";
			track->detail = (struct pm_detail){ 0 };
		}
	}

	free(tracker->owners);
	tracker->settled = tracker->samples > 0;

	struct pm_regions former = tracker->regions;
	tracker->regions = tracker->spare;
	tracker->spare = former;
	tracker->owners = owners;

	return result;
}

/** Whether a list has the very regions of the last one; only their sizes differ, if anything. */
static bool is_same_list(const struct pm_regions *was, const struct pm_regions *is)
{
	if (was->count != is->count)
		return false;

	for (size_t i = 0; i < is->count; i++) {
		const struct pm_region *one = &was->items[i], *other = &is->items[i];
		if (one->start != other->start || one->end != other->end ||
		    one->offset != other->offset || one->perms != other->perms ||
		    one->kind != other->kind || one->inode != other->inode ||
		    one->device_major != other->device_major ||
		    one->device_minor != other->device_minor || one->thread != other->thread ||
		    one->arena != other->arena || strcmp(one->mapping, other->mapping) != 0 ||
		    !pm_detail_equal(&one->detail, &other->detail))
			return false;
	}

	return true;
}

/** Takes over the sizes of the same regions. */
static void refresh(struct pm_tracker *tracker, const struct pm_regions *regions)
{
	pm_tracker_clear_sums(tracker);
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
	/* A first comparison also finds what belongs together in one list, such as the heaps of an
	 * arena. */
	if (regions && tracker->settled && is_same_list(&tracker->regions, regions))
		refresh(tracker, regions);
	else if (regions && follow(tracker, time, regions, error) < 0)
		return -1;

	if (add_to_series(tracker, time, error) < 0)
		return -1;

	if (tracker->samples == 0)
		tracker->first = time;
	tracker->last = time;
	tracker->samples++;

	return 0;
}
