/* SPDX-License-Identifier: MIT */
/*
 * Computes the sums of a track and chooses its representative region: the region that grew most,
 * because a leak is probably at its address.
 */
#include "growth/followed.h"

void pm_followed_clear(struct pm_followed *followed)
{
	struct pm_track *track = &followed->track;

	track->regions = track->weight = track->size = track->block_min = track->block_max = 0;
	followed->was_start = track->start;
	followed->was_end = track->end;
}

/**
 * Checks whether a region represents its track better than the region chosen so far. The region
 * with the larger claim is better. If the claims are equal, a region that overlaps the
 * representative of the previous sample is better. If both regions or neither overlap it, the
 * region with the larger weight is better. Any region is better than none.
 *
 * @param claim   growth of the region in bytes, doubled if `stays`
 * @param stays   true if the region overlaps the representative region of the previous sample
 * @param weight  weight of the region in bytes
 */
static bool represents(const struct pm_followed *followed, uint64_t claim, bool stays,
                       uint64_t weight)
{
	if (followed->track.regions == 0)
		return true;
	if (claim != followed->claim)
		return claim > followed->claim;
	if (stays != followed->stays)
		return stays;

	return weight > followed->track.own;
}

void pm_followed_count(struct pm_followed *followed, const struct pm_region *region, uint64_t was)
{
	struct pm_track *track = &followed->track;
	uint64_t weight = pm_region_weight(region), chunk = pm_region_chunk_max(region);
	uint64_t claim = weight > was ? weight - was : 0;
	bool stays = region->start < followed->was_end && region->end > followed->was_start;

	/*
	 * Choose another region only if it grew more than twice as much as the representative of
	 * the previous sample, so that the address that is shown does not change too often.
	 */
	if (stays)
		claim *= 2;

	if (represents(followed, claim, stays, weight)) {
		followed->claim = claim;
		followed->stays = stays;
		track->start = region->start;
		track->end = region->end;
		track->own = weight;
		track->kind = (enum pm_kind)region->kind;
		track->perms = region->perms;
		track->thread = region->thread;
		track->mapping = region->mapping;
		track->detail = region->detail;
		track->owner = (enum pm_owner)region->owner;
	}

	if (track->regions == 0 || chunk < track->block_min)
		track->block_min = chunk;
	if (chunk > track->block_max)
		track->block_max = chunk;

	track->regions++;
	track->weight += weight;
	track->size += pm_region_size(region);
}

/**
 * Fills an empty series with a value that was constant from the time `since` until the last sample.
 */
static int fill_constant(struct pm_series *series, double since, double last, uint64_t value,
                         struct pm_error *error)
{
	if (pm_series_add(series, since, value, error) < 0)
		return -1;
	return pm_series_add(series, last, value, error);
}

/**
 * Adds the series of `loser` to that of `winner`. An empty series means that the weight never
 * changed. If both series are empty, that of `winner` stays empty.
 */
static int merge_series(struct pm_followed *winner, const struct pm_followed *loser, double last,
                        struct pm_error *error)
{
	struct pm_series *sum = &winner->track.series, constant = { 0 };
	const struct pm_series *history = &loser->track.series;
	int result = 0;

	if (sum->count == 0 && history->count == 0)
		return 0;

	if (sum->count == 0) {
		result = fill_constant(sum, winner->track.since, last, winner->was, error);
	} else if (history->count == 0) {
		result = fill_constant(&constant, loser->track.since, last, loser->was, error);
		history = &constant;
	}

	if (result == 0)
		result = pm_series_merge(sum, history, error);
	pm_series_deinit(&constant);

	return result;
}

int pm_followed_merge(struct pm_followed *winner, struct pm_followed *loser, double last,
                      struct pm_error *error)
{
	if (merge_series(winner, loser, last, error) < 0)
		return -1;

	winner->was += loser->was;
	winner->track.baseline += loser->track.baseline;
	winner->track.baseline_size += loser->track.baseline_size;

	pm_series_deinit(&loser->track.series);
	loser->was = loser->track.baseline = 0;
	loser->was_regions = loser->track.baseline_regions = 0;
	loser->track.baseline_size = 0;
	return 0;
}
