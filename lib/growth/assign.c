/* SPDX-License-Identifier: MIT */
/*
 * Assigns a track to each region of a new list. All regions of a track have the same kind, so that
 * the sums over the tracks of a kind equal the sums over the regions of that kind. A part of a
 * difference that contains several kinds therefore has one track for each kind.
 */
#include "growth/assign.h"

#include <stdlib.h>

#include "base/array.h"
#include "growth/followed.h"
#include "growth/similarity.h"
#include "growth/tracker_state.h"

/*
 * Tracks without regions are kept, because similar regions may appear again. A process that gives
 * each of its mappings a unique name, such as that of a temporary file, would therefore fill our
 * memory. Therefore, while more than this number of tracks of new regions have lost all their
 * regions, a new region for which no track has the same key joins a track of the same kind,
 * permissions and size class, whatever the names.
 */
enum { GONE_MAX = 4096 };

/** The track to which the regions of one kind in one part are assigned. */
struct choice {
	struct pm_followed *track;
	uint64_t weight; /* weight of the region by which `track` was chosen, in bytes */
	size_t next;     /* index of the next choice of the same part, or `none` */
	uint8_t kind;
	bool used; /* at least one region of the new list was assigned to the track */
};

static const size_t none = SIZE_MAX;

struct choices {
	struct choice *items;
	size_t count;
	size_t *first; /* index of the first choice of each part, or `none` */
};

static struct pm_followed *new_track(struct pm_tracker *tracker, double time,
                                     struct pm_error *error)
{
	if (pm_array_reserve(&tracker->tracks, &tracker->capacity, tracker->count, 1,
	                     sizeof(struct pm_followed *), error) < 0 ||
	    pm_array_reserve(&tracker->public, &tracker->public_capacity, tracker->count, 1,
	                     sizeof(struct pm_track *), error) < 0)
		return NULL;

	struct pm_followed *followed = calloc(1, sizeof *followed);
	if (!followed) {
		pm_error_out_of_memory(error);
		return NULL;
	}

	followed->track.index = tracker->count;
	followed->track.since = time;
	followed->track.born = tracker->samples > 0;
	tracker->public[tracker->count] = &followed->track;
	tracker->tracks[tracker->count++] = followed;

	return followed;
}

/**
 * Computes the key by which new regions find the track of a region, and join it. Returns 0 if no
 * new region may join: this is so for regions of the first sample, except for blocks of malloc: the
 * address of a new block depends only on where there is room, and the kernel may or may not merge
 * the block with older blocks.
 * @param born  true if the region was not in the first sample
 */
static uint64_t key_of(const struct pm_region *region, bool born)
{
	if (!born && pm_region_chunk_max(region) == 0)
		return 0;
	return pm_similarity_key(region);
}

/**
 * Returns the track for a new region: the track of similar regions if there is one, otherwise a new
 * track.
 *
 * @param keys  table of the tracks by key; zeroed before the first call, initialised by the first
 *              call that needs the table
 * @param more  maximum number of tracks that this call and later calls may add to the table
 */
static struct pm_followed *track_of_new(struct pm_tracker *tracker, const struct pm_region *region,
                                        double time, struct pm_similarity_table *keys, size_t more,
                                        struct pm_error *error)
{
	uint64_t key = key_of(region, tracker->samples > 0);
	struct pm_followed *followed = NULL;

	if (key && !keys->places && pm_similarity_table_init(keys, tracker, more, error) < 0)
		return NULL;

	if (key)
		followed = pm_similarity_table_find(keys, key);
	if (key && !followed && tracker->gone > GONE_MAX) {
		key = pm_similarity_class(region);
		followed = pm_similarity_table_find(keys, key);
	}
	if (followed)
		return followed;

	followed = new_track(tracker, time, error);
	if (followed && key) {
		followed->key = key;
		pm_similarity_table_add(keys, followed);
	}

	return followed;
}

static struct choice *find_choice(const struct choices *choices, size_t part, uint8_t kind)
{
	for (size_t i = choices->first[part]; i != none; i = choices->items[i].next)
		if (choices->items[i].kind == kind)
			return &choices->items[i];
	return NULL;
}

static struct choice *add_choice(struct choices *choices, size_t part, uint8_t kind,
                                 struct pm_followed *track)
{
	struct choice *choice = &choices->items[choices->count];
	*choice = (struct choice){ .track = track, .kind = kind, .next = choices->first[part] };
	choices->first[part] = choices->count++;
	return choice;
}

static void choices_deinit(struct choices *choices)
{
	free(choices->items);
	free(choices->first);
}

/**
 * Chooses a track for each kind in each part: the track of that region of the last list which is in
 * the part, has the kind, and has the largest weight.
 *
 * @param max      maximum number of choices: the number of regions in the last and the new list
 *                 together
 * @param choices  filled; release with choices_deinit()
 * @return         0, or -1 when out of memory
 */
static int choose_tracks(const struct pm_tracker *tracker, const struct pm_growth *growth,
                         size_t max, struct choices *choices)
{
	*choices = (struct choices){
		.items = calloc(max + 1, sizeof *choices->items),
		.first = calloc(growth->count + 1, sizeof *choices->first),
	};
	if (!choices->items || !choices->first) {
		choices_deinit(choices);
		return -1;
	}

	for (size_t i = 0; i < growth->count; i++)
		choices->first[i] = none;

	for (size_t i = 0; i < tracker->regions.count; i++) {
		const struct pm_region *region = &tracker->regions.items[i];
		size_t part = growth->before_part[i];
		if (growth->parts[part].after == PM_GROWTH_NONE)
			continue;

		struct choice *choice = find_choice(choices, part, region->kind);
		if (choice && choice->weight >= pm_region_weight(region))
			continue;

		if (!choice)
			choice = add_choice(choices, part, region->kind, tracker->owners[i]);
		choice->track = tracker->owners[i];
		choice->weight = pm_region_weight(region);
	}

	return 0;
}

/**
 * Finds a track for a region whose kind has changed: a track of the same part that had a single
 * region in the last list and has none in the new list so far. The memory is the same, only its
 * kind is known better now. The key of the track is changed, so that new regions of the old kind no
 * longer join the track.
 * @return the track, or NULL if there is none
 */
static struct pm_followed *reclassify(const struct choices *choices, size_t part,
                                      const struct pm_region *region)
{
	for (size_t i = choices->first[part]; i != none; i = choices->items[i].next) {
		struct choice *choice = &choices->items[i];
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): every region has a part, and
		 * the list of each part was empty at first. */
		if (choice->used || choice->track->was_regions != 1)
			continue;
		choice->used = true;
		choice->track->key = key_of(region, choice->track->track.born);
		return choice->track;
	}

	return NULL;
}

/**
 * Assigns existing tracks to the regions of the new list: the track that was chosen for the kind of
 * the region in its part or, if there is none, a track from reclassify(). Regions for which both
 * find no track are not assigned.
 */
static void assign_known(const struct pm_growth *growth, const struct pm_regions *regions,
                         struct choices *choices, struct pm_followed **owners)
{
	for (size_t i = 0; i < regions->count; i++) {
		struct choice *choice = find_choice(choices, growth->after_part[i],
		                                    regions->items[i].kind);
		if (!choice)
			continue;
		choice->used = true;
		owners[i] = choice->track;
	}

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		size_t part = growth->after_part[i];

		if (owners[i])
			continue;

		struct choice *choice = find_choice(choices, part, region->kind);
		if (choice) {
			owners[i] = choice->track;
			continue;
		}

		owners[i] = reclassify(choices, part, region);
		if (owners[i])
			add_choice(choices, part, region->kind, owners[i])->used = true;
	}
}

/**
 * Assigns a track to each region to which assign_known() assigned none. The track may be a new one.
 */
static int assign_new(struct pm_tracker *tracker, const struct pm_growth *growth,
                      const struct pm_regions *regions, struct choices *choices,
                      struct pm_followed **owners, double time, struct pm_error *error)
{
	struct pm_similarity_table keys = { 0 };
	int result = 0;

	for (size_t i = 0; i < regions->count && result == 0; i++) {
		const struct pm_region *region = &regions->items[i];
		size_t part = growth->after_part[i];

		if (owners[i])
			continue;

		/* New regions of one part, such as the heaps of an arena, share a track. */
		struct choice *choice = find_choice(choices, part, region->kind);
		if (choice) {
			owners[i] = choice->track;
			continue;
		}

		owners[i] = track_of_new(tracker, region, time, &keys, regions->count - i, error);
		if (owners[i])
			add_choice(choices, part, region->kind, owners[i])->used = true;
		else
			result = -1;
	}

	pm_similarity_table_deinit(&keys);
	return result;
}

void pm_assign_clear_sums(struct pm_tracker *tracker)
{
	for (size_t i = 0; i < tracker->count; i++)
		pm_followed_clear(tracker->tracks[i]);
}

/**
 * Returns the weight that a track had in the last list at the addresses of a region of the new
 * list, in bytes: the sum over those regions of the last list that belong to the track and overlap
 * the region.
 *
 * @param from  index in the last list where the search starts: 0 in the first call. The function
 *              advances it, so each call must be for a region at a higher address than the previous
 *              one
 */
static uint64_t weighed_before(const struct pm_tracker *tracker, const struct pm_followed *followed,
                               const struct pm_region *region, size_t *from)
{
	const struct pm_regions *regions = &tracker->regions;
	uint64_t sum = 0;

	while (*from < regions->count && regions->items[*from].end <= region->start)
		++*from;

	for (size_t i = *from; i < regions->count && regions->items[i].start < region->end; i++)
		if (tracker->owners[i] == followed)
			sum += pm_region_weight(&regions->items[i]);
	return sum;
}

/**
 * Merges the histories of tracks whose regions were merged. If a track has no regions any more, its
 * history is added to the track that was chosen for the same kind in the same part. Nothing is
 * added if that track has no region of the new list either: the regions then changed their kind,
 * and were not merged.
 */
static int merge_histories(const struct pm_tracker *tracker, const struct pm_growth *growth,
                           const struct choices *choices, struct pm_error *error)
{
	for (size_t i = 0; i < tracker->regions.count; i++) {
		struct pm_followed *loser = tracker->owners[i];
		const struct choice *choice = find_choice(choices, growth->before_part[i],
		                                          tracker->regions.items[i].kind);

		if (!choice || !choice->used || loser == choice->track ||
		    loser->track.regions > 0 || loser->was_regions == 0)
			continue;
		if (pm_followed_merge(choice->track, loser, tracker->last, error) < 0)
			return -1;
	}

	return 0;
}

int pm_assign_tracks(struct pm_tracker *tracker, const struct pm_growth *growth,
                     const struct pm_regions *regions, struct pm_followed **owners, double time,
                     struct pm_error *error)
{
	size_t max = tracker->regions.count + regions->count, from = 0;
	struct choices choices;

	if (choose_tracks(tracker, growth, max, &choices) < 0)
		return pm_error_out_of_memory(error);

	/*
	 * Assign existing tracks first. This changes the key of a track whose region has another
	 * kind now, so that new regions of the old kind do not join this track.
	 */
	pm_assign_clear_sums(tracker);
	assign_known(growth, regions, &choices, owners);

	int result = assign_new(tracker, growth, regions, &choices, owners, time, error);
	for (size_t i = 0; i < regions->count && result == 0; i++) {
		const struct pm_region *region = &regions->items[i];
		uint64_t before = weighed_before(tracker, owners[i], region, &from);
		pm_followed_count(owners[i], region, before);
	}

	if (result == 0)
		result = merge_histories(tracker, growth, &choices, error);
	choices_deinit(&choices);

	return result;
}
