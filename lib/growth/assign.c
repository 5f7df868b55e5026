/* SPDX-License-Identifier: MIT */
/*
 * Which track each region of a new list belongs to. All regions of a track are of one kind, that of
 * the last look: what tracks of a kind weigh is what the regions of that kind do. So each part of a
 * difference has a track for each kind in it.
 */
#include "growth/assign.h"

#include <stdlib.h>

#include "base/array.h"
#include "growth/followed.h"
#include "growth/key_table.h"
#include "growth/similarity.h"
#include "growth/tracker_state.h"

/*
 * Tracks are kept for ever: what was born and is gone may come again. A process that gives each of
 * its mappings a name of its own, such as that of a temporary file, would fill our memory so; from
 * this number on what is new and has no like shares a track with all of its sort.
 */
enum { GONE_MAX = 4096 };

/** The track that goes on for the regions of one kind in one part. */
struct choice {
	struct followed *track;
	uint64_t weight; /* of the heaviest region of the last list that it is chosen for */
	size_t next;     /* index of the next choice of the same part, `none` at the end */
	uint8_t kind;
	bool used; /* a region of the new list has it */
};

static const size_t none = SIZE_MAX;

struct choices {
	struct choice *items;
	size_t count;
	size_t *first; /* by part: index of its first choice, or none */
};

static struct followed *new_track(struct pm_tracker *tracker, double time, struct pm_error *error)
{
	if (pm_array_reserve(&tracker->tracks, &tracker->capacity, tracker->count, 1,
	                     sizeof(struct followed *), error) < 0)
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

/**
 * What a track is to have in common with the regions that come to it, or 0: nothing does. What
 * stands there from the start stays by itself, but for blocks of malloc's: new ones of the same
 * size lie wherever there is room, and merge with the others, or not.
 */
static uint64_t key_of(const struct pm_region *region, bool born)
{
	return born || pm_region_chunk_max(region) ? pm_similarity_key(region) : 0;
}

/**
 * The track for a region that was not there before: that of its like, or a new one.
 *
 * @param keys  begun with the first region that asks
 * @param more  how many tracks may be new, this one included
 */
static struct followed *track_of_new(struct pm_tracker *tracker, const struct pm_region *region,
                                     double time, struct pm_key_table *keys, size_t more,
                                     struct pm_error *error)
{
	uint64_t key = key_of(region, tracker->samples > 0);
	if (key && !keys->places && pm_key_table_init(keys, tracker, more, error) < 0)
		return NULL;

	struct followed *followed = key ? pm_key_table_find(keys, key) : NULL;
	if (key && !followed && tracker->gone > GONE_MAX)
		followed = pm_key_table_find(keys, key = pm_similarity_sort(region));
	if (followed)
		return followed;

	followed = new_track(tracker, time, error);
	if (followed && key) {
		followed->key = key;
		pm_key_table_add(keys, followed);
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
                                 struct followed *track)
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
 * Of each kind in each part the track of the heaviest region that the last list has.
 *
 * @param most  how many regions both lists have together
 */
static int choose_tracks(const struct pm_tracker *tracker, const struct pm_growth *growth,
                         size_t most, struct choices *choices)
{
	*choices = (struct choices){
		.items = calloc(most + 1, sizeof *choices->items),
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
 * A track of the part whose only region is known to be of another kind now: it is the same memory
 * all the same, and goes on with that. What is new and like what it was is not to come to it any
 * more.
 */
static struct followed *reclassify(const struct choices *choices, size_t part,
                                   const struct pm_region *region)
{
	for (size_t i = choices->first[part]; i != none; i = choices->items[i].next) {
		struct choice *choice = &choices->items[i];
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): every region has a part, and
		 * the list of each was empty at first. */
		if (choice->used || choice->track->was_regions != 1)
			continue;
		choice->used = true;
		choice->track->key = key_of(region, choice->track->track.born);
		return choice->track;
	}

	return NULL;
}

/**
 * Gives regions the tracks that go on: of their kind in their part, or else of what they were taken
 * for until now.
 */
static void give_known(const struct pm_growth *growth, const struct pm_regions *regions,
                       struct choices *choices, struct followed **owners)
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
		owners[i] = choice ? choice->track : reclassify(choices, part, region);
		if (owners[i] && !choice)
			add_choice(choices, part, region->kind, owners[i])->used = true;
	}
}

/** Gives tracks to the regions that have none. */
static int give_new(struct pm_tracker *tracker, const struct pm_growth *growth,
                    const struct pm_regions *regions, struct choices *choices,
                    struct followed **owners, double time, struct pm_error *error)
{
	struct pm_key_table keys = { 0 };
	int result = 0;
	for (size_t i = 0; i < regions->count && result == 0; i++) {
		const struct pm_region *region = &regions->items[i];
		size_t part = growth->after_part[i];

		if (owners[i])
			continue;

		/* What belongs together from its begin, such as the heaps of an arena, has one. */
		struct choice *choice = find_choice(choices, part, region->kind);
		owners[i] = choice ? choice->track
		                   : track_of_new(tracker, region, time, &keys, regions->count - i,
		                                  error);

		if (!owners[i])
			result = -1;
		else if (!choice)
			add_choice(choices, part, region->kind, owners[i])->used = true;
	}

	pm_key_table_deinit(&keys);
	return result;
}

void pm_tracker_clear_sums(struct pm_tracker *tracker)
{
	for (size_t i = 0; i < tracker->count; i++)
		pm_followed_clear(tracker->tracks[i]);
}

/**
 * What the last list has at the addresses of a region of the next one, as far as it is of the same
 * track.
 *
 * @param from  where it begins in the last list; moved on from region to region, by ascending
 * address
 */
static uint64_t weighed_before(const struct pm_tracker *tracker, const struct followed *followed,
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
 * Joins the history of a track that lost all its regions to another by a merge. Both were constant
 * until now where there is no series.
 */
static int join(const struct pm_tracker *tracker, struct followed *loser, struct followed *winner,
                struct pm_error *error)
{
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

	int result = history->count > 0 ? pm_series_merge(&winner->track.series, history, error)
	                                : 0;
	pm_series_deinit(&constant);
	if (result < 0)
		return -1;

	pm_series_deinit(&loser->track.series);
	loser->was = loser->track.baseline = 0;
	loser->was_regions = loser->track.baseline_regions = 0;

	return 0;
}

/**
 * The same for all tracks of the last list; what is of another kind now did not merge with its
 * like.
 */
static int join_merged(const struct pm_tracker *tracker, const struct pm_growth *growth,
                       const struct choices *choices, struct pm_error *error)
{
	for (size_t i = 0; i < tracker->regions.count; i++) {
		struct followed *loser = tracker->owners[i];
		const struct choice *choice = find_choice(choices, growth->before_part[i],
		                                          tracker->regions.items[i].kind);
		if (!choice || !choice->used || loser == choice->track ||
		    loser->track.regions > 0 || loser->was_regions == 0)
			continue;
		if (join(tracker, loser, choice->track, error) < 0)
			return -1;
	}

	return 0;
}

int pm_tracker_assign(struct pm_tracker *tracker, const struct pm_growth *growth,
                      const struct pm_regions *regions, struct followed **owners, double time,
                      struct pm_error *error)
{
	struct choices choices;
	if (choose_tracks(tracker, growth, tracker->regions.count + regions->count, &choices) < 0)
		return pm_error_out_of_memory(error);

	pm_tracker_clear_sums(tracker);
	/* The known ones first, so that nothing new comes to a track that goes on with another
	 * kind. */
	give_known(growth, regions, &choices, owners);

	int result = give_new(tracker, growth, regions, &choices, owners, time, error);
	for (size_t i = 0, from = 0; i < regions->count && result == 0; i++)
		pm_followed_count(owners[i], &regions->items[i],
		                  weighed_before(tracker, owners[i], &regions->items[i], &from));

	if (result == 0)
		result = join_merged(tracker, growth, &choices, error);
	choices_deinit(&choices);

	return result;
}
