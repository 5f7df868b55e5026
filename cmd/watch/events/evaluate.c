/* SPDX-License-Identifier: MIT */
#include "watch/events/evaluate.h"

#include <stdlib.h>

/** Called for a region of those that the user chose. */
typedef void region_visitor(void *context, const struct pm_region *region);

/** Visits the regions that the user chose; all where nothing was said. */
static void visit_chosen(const struct watch *watch, region_visitor *visit, void *context)
{
	const struct pm_select *select = watch->options->selection.select;
	const struct pm_regions *regions = watch->sample.regions;
	struct pm_region_range *ranges;
	size_t count;

	if (pm_select_is_everything(select)) {
		for (size_t i = 0; i < regions->count; i++)
			visit(context, &regions->items[i]);
		return;
	}

	/* What cannot be chosen, such as an address where nothing is mapped now, has no regions. */
	if (pm_select_apply(select, regions, &ranges, &count, NULL) < 0)
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

/** The heaviest region of some kinds, and what all of them weigh. */
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

static struct heaviest find_heaviest(const struct condition *condition, const struct watch *watch)
{
	struct heaviest heaviest = { .kinds = condition->subject == CONDITION_KIND
		                                      ? condition->kinds
		                                      : ~0u };
	visit_chosen(watch, weigh, &heaviest);
	return heaviest;
}

/**
 * How much more there is now than the least within a time; without a time than at the beginning,
 * which is what the rows call growth.
 */
static double growth_within(const struct pm_series *series, double seconds)
{
	if (series->count == 0)
		return 0;

	double begin = series->last - seconds,
	       now = (double)series->points[series->count - 1].value,
	       first = (double)series->points[0].value;
	if (seconds <= 0)
		return now - first;

	double least = begin > series->points[0].time ? pm_series_at(series, begin) : first;
	for (size_t i = series->count; i-- > 0 && series->points[i].time >= begin;)
		if ((double)series->points[i].value < least)
			least = (double)series->points[i].value;

	return now - least;
}

static double bytes_of(const struct condition *condition, const struct watch *watch)
{
	const struct pm_totals *totals = &watch->sample.totals;
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
		return (double)watch->sample.regions->count;
	case CONDITION_GROW:
		return growth_within(&watch->memory, condition->seconds);
	case CONDITION_RATE:
		return watch->memory_trend.rate * condition->seconds;
	case CONDITION_KIND:
		return (double)find_heaviest(condition, watch).sum;
	default: {
		const struct heaviest heaviest = find_heaviest(condition, watch);
		return heaviest.region ? (double)weight_of(heaviest.region) : 0;
	}
	}
}

bool evaluate_measure(const struct condition *condition, const struct watch *watch, double *value)
{
	const struct pm_limit *limit = pm_headroom_memory(&watch->headroom);
	bool of_limit = condition->percent || condition->subject == CONDITION_HEADROOM;
	if (of_limit && (!limit || limit->max == 0))
		return false;
	if (condition->subject == CONDITION_RATE &&
	    watch->memory_trend.verdict != PM_VERDICT_STEADY)
		return false;

	*value = condition->subject == CONDITION_HEADROOM ? (double)pm_limit_left(limit)
	                                                  : bytes_of(condition, watch);
	if (condition->percent)
		*value = *value * 100 / (double)limit->max;
	return true;
}

/** How much a track has to do with a condition. */
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
 * Whether one track is to blame more than another; where both are alike, whether it is the heavier.
 */
static bool is_worse(const struct condition *condition, const struct pm_track *one,
                     const struct pm_track *other)
{
	double more = blame(condition, one) - blame(condition, other);
	return more > 0 || (more == 0 && one->weight > other->weight);
}

/**
 * Finds whom to blame: the heaviest one that is compared; else what grew most, or where nothing
 * grew, of what is there.
 */
static void find_culprit(const struct condition *condition, const struct watch *watch,
                         struct culprit *culprit)
{
	*culprit = (struct culprit){ 0 };
	if (condition->subject == CONDITION_KIND || condition->subject == CONDITION_REGION) {
		const struct pm_region *region = find_heaviest(condition, watch).region;
		if (region && condition->subject == CONDITION_KIND)
			blame_track(
				pm_tracker_owner(watch->tracker,
			                         (size_t)(region - watch->sample.regions->items)),
				culprit);
		else if (region)
			blame_region(region, culprit);
		return;
	}

	size_t count;
	const struct pm_track *const *tracks = pm_tracker_tracks(watch->tracker, &count),
				     *worst = NULL;
	for (size_t i = 0; i < count; i++)
		if (tracks[i]->regions > 0 && (!worst || is_worse(condition, tracks[i], worst)))
			worst = tracks[i];

	if (worst)
		blame_track(worst, culprit);
}

/**
 * How many thresholds are passed, where the last of them is to be acted on now.
 * @return 0: there is nothing to do
 */
static size_t count_passed(const struct condition *condition, const struct watch *watch, bool again,
                           double cool_down, double *value)
{
	size_t passed = 0;

	if (!evaluate_measure(condition, watch, value))
		return 0;

	while (passed < condition->count &&
	       (condition->below ? *value < condition->thresholds[passed].value
	                         : *value > condition->thresholds[passed].value))
		passed++;

	if (passed == 0)
		return 0;

	const struct threshold *last = &condition->thresholds[passed - 1];
	return last->acted && !(again && watch->sample.time - last->acted_at >= cool_down) ? 0
	                                                                                   : passed;
}

bool evaluate_is_met(const struct condition *condition, const struct watch *watch, bool again,
                     double cool_down)
{
	double value;
	return count_passed(condition, watch, again, cool_down, &value) > 0;
}

bool evaluate_conditions(struct condition *condition, const struct watch *watch, bool again,
                         double cool_down, struct firing *firing)
{
	double value;
	size_t passed = count_passed(condition, watch, again, cool_down, &value);
	if (passed == 0)
		return false;

	for (size_t i = 0; i < passed; i++) {
		condition->thresholds[i].acted = true;
		condition->thresholds[i].acted_at = watch->sample.time;
	}

	*firing = (struct firing){ .condition = condition,
		                   .threshold = &condition->thresholds[passed - 1],
		                   .value = value };
	find_culprit(condition, watch, &firing->culprit);

	return true;
}
