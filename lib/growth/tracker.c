/* SPDX-License-Identifier: MIT */
#include <procmem/tracker.h>

#include <stdlib.h>
#include <string.h>

#include <procmem/growth.h>

#include "base/array.h"
#include "growth/alike.h"
#include "growth/tracker_state.h"

/*
 * Tracks are kept for ever: what was born and is gone may come again. A process that gives each of its mappings a name of its own, such as
 * that of a temporary file, would fill our memory so; from this number on what is new and has no like shares a track with all of its sort.
 */
enum { MOST_GONE = 4096 };

int pm_tracker_create(struct pm_tracker **tracker, struct pm_error *error)
{
	struct pm_tracker *created = calloc(1, sizeof *created);
	if (!created)
		return pm_error_out_of_memory(error);
	pm_regions_init(&created->regions);
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
	free(tracker);
}

static struct followed *new_track(struct pm_tracker *tracker, double time, struct pm_error *error)
{
	if (pm_array_reserve(&tracker->tracks, &tracker->capacity, tracker->count, 1, sizeof(struct followed *), error) < 0)
		return NULL;
	struct followed *followed = calloc(1, sizeof *followed);
	if (!followed) {
		pm_error_out_of_memory(error);
		return NULL;
	}
	followed->track.since = time;
	followed->track.born = tracker->samples > 0;
	tracker->tracks[tracker->count++] = followed;
	return followed;
}

static struct followed *find_born(const struct pm_tracker *tracker, uint64_t key)
{
	for (size_t i = 0; i < tracker->count; i++)
		if (tracker->tracks[i]->track.born && tracker->tracks[i]->key == key)
			return tracker->tracks[i];
	return NULL;
}

/** The track for a region that was not there before: that of its like, or a new one. */
static struct followed *track_of_new(struct pm_tracker *tracker, const struct pm_region *region, double time, struct pm_error *error)
{
	uint64_t key = tracker->samples > 0 ? pm_alike_key(region) : 0;
	struct followed *followed = key ? find_born(tracker, key) : NULL;
	if (key && !followed && tracker->gone > MOST_GONE)
		followed = find_born(tracker, key = pm_alike_sort(region));
	if (followed)
		return followed;
	followed = new_track(tracker, time, error);
	if (followed)
		followed->key = key;
	return followed;
}

/** For each part of a difference the track that goes on: that of the heaviest region which it had. */
static struct followed **choose_tracks(const struct pm_tracker *tracker, const struct pm_growth *growth)
{
	struct followed **chosen = calloc(growth->count + 1, sizeof(struct followed *));
	for (size_t i = 0; chosen && i < growth->count; i++)
		if (growth->parts[i].before != PM_GROWTH_NONE && growth->parts[i].after != PM_GROWTH_NONE)
			chosen[i] = tracker->owners[growth->parts[i].before];
	return chosen;
}

static void clear_sums(struct pm_tracker *tracker)
{
	for (size_t i = 0; i < tracker->count; i++)
		pm_followed_clear(tracker->tracks[i]);
}

/** What the last list has at the addresses of a region of the next one, as far as it is of the same track. */
static uint64_t weighed_before(const struct pm_tracker *tracker, const struct followed *followed, const struct pm_region *region)
{
	const struct pm_regions *regions = &tracker->regions;
	uint64_t sum = 0;
	for (size_t i = pm_regions_index(regions, region->start); i < regions->count && regions->items[i].start < region->end; i++)
		if (tracker->owners[i] == followed)
			sum += pm_region_weight(&regions->items[i]);
	return sum;
}

/** Begins a series with the time in which nothing changed, if it has not begun. */
static int add_value(const struct pm_tracker *tracker, const struct pm_track *track, struct pm_series *series, double time, uint64_t was,
                     uint64_t is, struct pm_error *error)
{
	if (series->count == 0 && was == is)
		return 0;
	if (series->count == 0) {
		/* What was born counts from nothing, as of the sample before. */
		double began = track->born && track->since >= time ? tracker->last : track->since;
		if (pm_series_add(series, began, was, error) < 0 || (tracker->last > began && pm_series_add(series, tracker->last, was, error) < 0))
			return -1;
		double share = tracker->last > tracker->first ? (tracker->last - began) / (tracker->last - tracker->first) : 0;
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
		if (track->regions > track->most_regions)
			track->most_regions = track->regions;
		if (tracker->samples == 0) {
			track->baseline = track->weight;
			track->baseline_regions = track->regions;
		} else if (add_value(tracker, track, &track->series, time, followed->was, track->weight, error) < 0 ||
		           add_value(tracker, track, &track->counts, time, followed->was_regions, track->regions, error) < 0) {
			return -1;
		}
		followed->was = track->weight;
		followed->was_regions = track->regions;
	}
	return 0;
}

/** Joins the history of tracks that lost all their regions to another by a merge. */
static int join_merged(struct pm_tracker *tracker, const struct pm_growth *growth, struct followed *const *chosen, struct pm_error *error)
{
	for (size_t i = 0; i < tracker->regions.count; i++) {
		struct followed *loser = tracker->owners[i], *winner = chosen[growth->before_part[i]];
		if (!winner || loser == winner || loser->track.regions > 0 || loser->was_regions == 0)
			continue;
		/* Both were constant until now where there is no series. */
		winner->was += loser->was;
		winner->track.baseline += loser->track.baseline;
		struct pm_series constant = { 0 };
		const struct pm_series *history = &loser->track.series;
		if (winner->track.series.count > 0 && history->count == 0) {
			if (pm_series_add(&constant, loser->track.since, loser->was, error) < 0 ||
			    pm_series_add(&constant, tracker->last, loser->was, error) < 0)
				return -1;
			history = &constant;
		} else if (winner->track.series.count == 0 && history->count > 0) {
			uint64_t own = winner->was - loser->was;
			if (pm_series_add(&winner->track.series, winner->track.since, own, error) < 0 ||
			    pm_series_add(&winner->track.series, tracker->last, own, error) < 0)
				return -1;
		}
		int result = history->count > 0 ? pm_series_merge(&winner->track.series, history, error) : 0;
		pm_series_deinit(&constant);
		if (result < 0)
			return -1;
		pm_series_deinit(&loser->track.series);
		loser->was = loser->track.baseline = 0;
		loser->was_regions = loser->track.baseline_regions = 0;
	}
	return 0;
}

/** Gives every region of a sample its track. */
static int assign(struct pm_tracker *tracker, const struct pm_growth *growth, const struct pm_regions *regions, struct followed **owners,
                  double time, struct pm_error *error)
{
	struct followed **chosen = choose_tracks(tracker, growth);
	if (!chosen)
		return pm_error_out_of_memory(error);
	int result = 0;
	clear_sums(tracker);
	for (size_t i = 0; i < regions->count && result == 0; i++) {
		struct followed **owner = &chosen[growth->after_part[i]];
		/* What belongs together from its begin, such as the heaps of an arena, has one. */
		if (!*owner)
			*owner = track_of_new(tracker, &regions->items[i], time, error);
		owners[i] = *owner;
		if (owners[i])
			pm_followed_count(owners[i], &regions->items[i], weighed_before(tracker, owners[i], &regions->items[i]));
		else
			result = -1;
	}
	if (result == 0)
		result = join_merged(tracker, growth, chosen, error);
	free(chosen);
	return result;
}

/** Takes over a new list of regions. */
static int follow(struct pm_tracker *tracker, double time, const struct pm_regions *regions, struct pm_error *error)
{
	struct pm_growth growth;
	struct pm_regions copy;
	pm_regions_init(&copy);
	struct followed **owners = calloc(regions->count + 1, sizeof(struct followed *));
	if (!owners)
		return pm_error_out_of_memory(error);
	int result = 0;
	for (size_t i = 0; i < regions->count && result == 0; i++)
		result = pm_regions_append(&copy, &regions->items[i], error);
	if (result == 0)
		result = pm_growth_compare(&tracker->regions, &copy, &growth, error);
	if (result == 0) {
		result = assign(tracker, &growth, &copy, owners, time, error);
		pm_growth_deinit(&growth);
	}
	/* Names of tracks point into the newest list that they have a region in; those that have none any more keep none. */
	for (size_t i = 0; i < tracker->count; i++)
		if (tracker->tracks[i]->track.regions == 0)
			tracker->tracks[i]->track.mapping = tracker->tracks[i]->track.detail = "";
	pm_regions_deinit(&tracker->regions);
	free(tracker->owners);
	tracker->settled = tracker->samples > 0;
	tracker->regions = copy;
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
		if (one->start != other->start || one->end != other->end || one->offset != other->offset || one->perms != other->perms ||
		    one->kind != other->kind || one->inode != other->inode || one->device_major != other->device_major ||
		    one->device_minor != other->device_minor || one->thread != other->thread || one->arena != other->arena ||
		    strcmp(one->mapping, other->mapping) != 0 || strcmp(one->detail, other->detail) != 0)
			return false;
	}
	return true;
}

/** Takes over the sizes of the same regions. */
static void refresh(struct pm_tracker *tracker, const struct pm_regions *regions)
{
	clear_sums(tracker);
	for (size_t i = 0; i < regions->count; i++) {
		struct pm_region *region = &tracker->regions.items[i];
		uint64_t was = pm_region_weight(region);
		region->bytes[PM_SIZE_RSS] = regions->items[i].bytes[PM_SIZE_RSS];
		region->bytes[PM_SIZE_SWAP] = regions->items[i].bytes[PM_SIZE_SWAP];
		pm_followed_count(tracker->owners[i], region, was);
	}
}

int pm_tracker_add(struct pm_tracker *tracker, double time, const struct pm_regions *regions, struct pm_error *error)
{
	/* A first comparison also finds what belongs together in one list, such as the heaps of an arena. */
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
