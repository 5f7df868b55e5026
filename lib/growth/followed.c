/* SPDX-License-Identifier: MIT */
/* The sums of a track, and which of its regions stands for it: a leak is to be found at the address
 * that is shown. */
#include "growth/followed.h"

void pm_followed_clear(struct followed *followed)
{
	struct pm_track *track = &followed->track;
	track->regions = track->weight = track->size = track->block_min = track->block_max = 0;
	followed->was_start = track->start;
	followed->was_end = track->end;
}

/**
 * Whether a region is to stand for its track: it grew more than the one found so far; where none
 * grew, the one of before stays.
 */
static bool stands_for(const struct followed *followed, uint64_t claim, bool stays, uint64_t weight)
{
	if (followed->track.regions == 0)
		return true;
	if (claim != followed->claim)
		return claim > followed->claim;
	return stays != followed->stays ? stays : weight > followed->track.own;
}

void pm_followed_count(struct followed *followed, const struct pm_region *region, uint64_t was)
{
	struct pm_track *track = &followed->track;
	uint64_t weight = pm_region_weight(region), claim = weight > was ? weight - was : 0;
	bool stays = region->start < followed->was_end && region->end > followed->was_start;
	claim *= stays ? 2 : 1;

	if (stands_for(followed, claim, stays, weight)) {
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
	}

	uint64_t chunk = pm_region_chunk_max(region);
	if (track->regions == 0 || chunk < track->block_min)
		track->block_min = chunk;
	if (chunk > track->block_max)
		track->block_max = chunk;
	track->regions++;
	track->weight += weight;
	track->size += pm_region_size(region);
}
