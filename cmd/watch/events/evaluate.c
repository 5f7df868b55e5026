/* SPDX-License-Identifier: MIT */
#include "watch/events/evaluate.h"

#include <stdlib.h>

/** Called for each chosen region. */
typedef void region_visitor(void *context, const struct pm_region *region);

/** Visits the chosen regions. */
static void visit_chosen(const struct evaluate *evaluate, region_visitor *visit, void *context)
{
	const struct pm_regions *regions = evaluate->history->sample.regions;
	struct pm_region_range *ranges;
	size_t count;

	if (pm_select_is_everything(evaluate->select)) {
		for (size_t i = 0; i < regions->count; i++)
			visit(context, &regions->items[i]);
		return;
	}

	/* It is not an error if nothing is mapped at a chosen address. */
	if (pm_select_apply(evaluate->select, regions, &ranges, &count, NULL) < 0)
		return;

	for (size_t i = 0; i < count; i++)
		if (ranges[i].region != SIZE_MAX)
			visit(context, &regions->items[ranges[i].region]);

	free(ranges);
}

static uint64_t weight_of(const struct pm_region *region)
{
	return region->bytes[PM_SIZE_RSS] + region->bytes[PM_SIZE_SWAP];
}

/**
 * The region of some kinds with the most resident and swapped bytes, and the sum of these bytes
 * over all regions of the kinds.
 */
struct heaviest {
	unsigned kinds;
	const struct pm_region *region;
	uint64_t sum;
};

static void weigh(void *context, const struct pm_region *region)
{
	struct heaviest *heaviest = context;
	if (!(heaviest->kinds & 1u << region->kind))
		return;
	heaviest->sum += weight_of(region);
	if (!heaviest->region || weight_of(region) > weight_of(heaviest->region))
		heaviest->region = region;
}

static struct heaviest find_heaviest(const struct condition *condition,
                                     const struct evaluate *evaluate)
{
	struct heaviest heaviest = { .kinds = ~0u };

	if (condition->subject == CONDITION_KIND)
		heaviest.kinds = condition->kinds;
	visit_chosen(evaluate, weigh, &heaviest);
	return heaviest;
}

/**
 * Computes the growth of a series: the last value minus the lowest value of the last `seconds`
 * seconds. If `seconds` is 0, the growth since the first value is returned, as for the growth of
 * rows.
 */
static double growth_within(const struct pm_series *series, double seconds)
{
	if (series->count == 0)
		return 0;

	const struct pm_point *points = series->points;
	double now = (double)points[series->count - 1].value, lowest = (double)points[0].value;
	if (seconds <= 0)
		return now - lowest;

	double start = series->last - seconds;
	if (start > points[0].time)
		lowest = pm_series_at(series, start);
	for (size_t i = series->count; i-- > 0 && points[i].time >= start;)
		if ((double)points[i].value < lowest)
			lowest = (double)points[i].value;

	return now - lowest;
}

static double bytes_of(const struct condition *condition, const struct evaluate *evaluate)
{
	const struct watch_history *history = evaluate->history;
	const struct pm_totals *totals = &history->sample.totals;

	switch (condition->subject) {
	case CONDITION_RSS:
		return (double)totals->rss;
	case CONDITION_ANON:
		return (double)totals->anon;
	case CONDITION_FILE:
		return (double)totals->file;
	case CONDITION_SHMEM:
		return (double)totals->shmem;
	case CONDITION_SWAP:
		return (double)totals->swap;
	case CONDITION_SIZE:
		return (double)totals->size;

	case CONDITION_THREADS:
		return (double)totals->threads;
	case CONDITION_REGIONS:
		return (double)history->sample.regions->count;
	case CONDITION_GROW:
		return growth_within(&history->memory.series, condition->seconds);
	case CONDITION_RATE:
		return history->memory.trend.rate * condition->seconds;
	case CONDITION_KIND:
		return (double)find_heaviest(condition, evaluate).sum;

	default: {
		const struct heaviest heaviest = find_heaviest(condition, evaluate);
		return heaviest.region ? (double)weight_of(heaviest.region) : 0;
	}
	}
}

bool evaluate_measure(const struct condition *condition, const struct evaluate *evaluate,
                      double *value)
{
	const struct watch_history *history = evaluate->history;
	const struct pm_limit *limit = pm_headroom_memory(&history->headroom);
	bool headroom = condition->subject == CONDITION_HEADROOM;

	if ((condition->percent || headroom) && (!limit || limit->max == 0))
		return false;
	if (condition->subject == CONDITION_RATE &&
	    history->memory.trend.verdict != PM_VERDICT_STEADY)
		return false;

	if (headroom)
		*value = (double)pm_limit_left(limit);
	else
		*value = bytes_of(condition, evaluate);
	if (condition->percent)
		*value = *value * 100 / (double)limit->max;

	return true;
}

/**
 * Computes how much a track contributed to a condition: the growth of its resident and swapped
 * bytes or, if the condition compares a count, the growth of its number of regions.
 */
static double blame(const struct condition *condition, const struct pm_track *track)
{
	if (condition_counts(condition->subject))
		return (double)track->regions - (double)track->baseline_regions;
	return (double)track->weight - (double)track->baseline;
}

static void blame_track(const struct pm_track *track, struct culprit *culprit)
{
	*culprit = (struct culprit){
		.known = true,
		.start = track->start,
		.end = track->end,
		.own = track->own,
		.weight = track->weight,
		.count = track->regions,
		.kind = track->kind,
		.mapping = track->mapping,
		.detail = track->detail,
		.track = track,
	};
}

static void blame_region(const struct pm_region *region, struct culprit *culprit)
{
	*culprit = (struct culprit){
		.known = true,
		.start = region->start,
		.end = region->end,
		.own = weight_of(region),
		.weight = weight_of(region),
		.count = 1,
		.kind = (enum pm_kind)region->kind,
		.mapping = region->mapping,
		.detail = region->detail,
	};
}

/**
 * Checks whether a track contributed more to a condition than another track. If both contributed
 * the same, the track with more resident and swapped bytes is regarded as the one that contributed
 * more.
 */
static bool is_worse(const struct condition *condition, const struct pm_track *one,
                     const struct pm_track *other)
{
	double more = blame(condition, one) - blame(condition, other);
	return more > 0 || (more == 0 && one->weight > other->weight);
}

/**
 * Returns the track that contributed most to a condition, or NULL if no track has regions.
 */
static const struct pm_track *find_worst(const struct condition *condition,
                                         const struct pm_tracker *tracker)
{
	size_t count;
	const struct pm_track *const *tracks = pm_tracker_tracks(tracker, &count);
	const struct pm_track *worst = NULL;

	for (size_t i = 0; i < count; i++)
		if (tracks[i]->regions > 0 && (!worst || is_worse(condition, tracks[i], worst)))
			worst = tracks[i];

	return worst;
}

/**
 * Finds the region or the track to blame for a condition. For CONDITION_REGION, this is the region
 * with the most resident and swapped bytes. For CONDITION_KIND, it is the track to which the region
 * of these kinds with the most bytes belongs. For all other conditions, it is the track that
 * contributed most.
 */
static void find_culprit(const struct condition *condition, const struct evaluate *evaluate,
                         struct culprit *culprit)
{
	const struct pm_tracker *tracker = evaluate->history->tracker;
	const struct pm_track *track = NULL;

	*culprit = (struct culprit){ 0 };
	if (condition->subject == CONDITION_KIND || condition->subject == CONDITION_REGION) {
		const struct pm_region *first = evaluate->history->sample.regions->items;
		const struct pm_region *region = find_heaviest(condition, evaluate).region;
		if (region && condition->subject == CONDITION_REGION)
			blame_region(region, culprit);
		else if (region)
			track = pm_tracker_owner(tracker, (size_t)(region - first));
	} else {
		track = find_worst(condition, tracker);
	}

	if (track)
		blame_track(track, culprit);
}

static bool is_passed(const struct condition *condition, const struct threshold *threshold,
                      double value)
{
	return condition->below ? value < threshold->value : value > threshold->value;
}

/**
 * Counts the thresholds that are passed.
 * @return number of thresholds; 0 also if actions were performed for the last of them before, and
 *   must not be performed again yet
 */
static size_t count_passed(const struct condition *condition, const struct evaluate *evaluate,
                           double *value)
{
	size_t passed = 0;

	if (!evaluate_measure(condition, evaluate, value))
		return 0;

	while (passed < condition->count &&
	       is_passed(condition, &condition->thresholds[passed], *value))
		passed++;

	if (passed == 0)
		return 0;

	const struct threshold *last = &condition->thresholds[passed - 1];
	double waited = evaluate->history->sample.time - last->acted_at;
	if (last->acted && !(evaluate->again && waited >= evaluate->cool_down))
		return 0;

	return passed;
}

bool evaluate_is_met(const struct condition *condition, const struct evaluate *evaluate)
{
	double value;
	return count_passed(condition, evaluate, &value) > 0;
}

bool evaluate_condition(struct condition *condition, const struct evaluate *evaluate,
                        struct firing *firing)
{
	double value;
	size_t passed = count_passed(condition, evaluate, &value);
	if (passed == 0)
		return false;

	for (size_t i = 0; i < passed; i++) {
		condition->thresholds[i].acted = true;
		condition->thresholds[i].acted_at = evaluate->history->sample.time;
	}

	*firing = (struct firing){ .condition = condition,
		                   .threshold = &condition->thresholds[passed - 1],
		                   .value = value };
	find_culprit(condition, evaluate, &firing->culprit);
	return true;
}
