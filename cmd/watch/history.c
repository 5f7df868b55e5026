/* SPDX-License-Identifier: MIT */
#include "watch/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "target/first_limit.h"

int watch_history_add(struct watch_history *history, const struct pm_sample *sample,
                      struct pm_error *error)
{
	const struct pm_totals *totals = &sample->totals;

	history->previous = history->sample.totals;
	if (history->samples == 0) {
		history->first = history->previous = *totals;
		history->began = history->based = sample->time;
	}

	history->sample = *sample;
	history->samples++;

	if (pm_series_add(&history->memory.series, sample->time, totals->rss + totals->swap,
	                  error) < 0 ||
	    pm_series_add(&history->size, sample->time, totals->size, error) < 0 ||
	    pm_series_add(&history->threads.series, sample->time, totals->threads, error) < 0)
		return -1;

	return 0;
}

int watch_history_follow(struct watch_history *history, struct pm_error *error)
{
	const struct pm_sample *sample = &history->sample;
	const struct pm_regions *regions = sample->fresh ? sample->regions : NULL;

	history->held_back += sample->held_back;

	/* If --budget did not allow the regions to be measured, their sizes are those of an earlier
	 * sample: do not add these sizes to the tracks. */
	int status = 0;
	if (sample->held_back) {
		pm_tracker_skip(history->tracker);
	} else {
		status = pm_tracker_add(history->tracker, sample->time, regions, error);
		history->measured = sample->time;
	}

	history->tracks = pm_tracker_tracks(history->tracker, &history->track_count);
	return status;
}

/**
 * Adds a sum of the last sample to its track.
 * @param first  the sums of this sort were not known before: growth is counted from this sample
 */
static int add_sum(const struct watch_history *history, struct pm_track *track,
                   struct watch_kind_sum sum, bool first, struct pm_error *error)
{
	const double now = history->sample.time;
	bool known = track->series.count > 0;

	if (!known && sum.regions == 0)
		return 0;
	if (!known) {
		track->mapping = "";
		track->since = now;
		track->born = !first;
		track->baseline = first ? sum.weight : 0;
	}

	track->delta = known ? (int64_t)(sum.weight - track->weight) : 0;
	track->weight = sum.weight;
	track->regions = sum.regions;
	track->max_regions = pm_max_size(track->max_regions, track->regions);

	return pm_series_add(&track->series, now, sum.weight, error);
}

int watch_history_add_kinds(struct watch_history *history, const struct watch_kind_sum *sums,
                            struct pm_error *error)
{
	/* The sums are those of an earlier sample: they do not belong in the series. */
	if (history->sample.held_back) {
		for (size_t kind = 0; kind < PM_KIND_COUNT; kind++)
			history->kinds[kind].delta = 0;
		return 0;
	}

	for (size_t kind = 0; kind < PM_KIND_COUNT; kind++) {
		struct pm_track *track = &history->kinds[kind];

		track->kind = (enum pm_kind)kind;
		if (add_sum(history, track, sums[kind], !history->kinds_known, error) < 0)
			return -1;
	}

	history->kinds_known = true;
	return 0;
}

int watch_history_add_owners(struct watch_history *history, const struct pm_owner_sums *sums,
                             struct pm_error *error)
{
	history->owners_fresh = sums != NULL;
	for (size_t owner = 0; owner < PM_OWNER_COUNT; owner++) {
		struct pm_track *track = &history->owners[owner];

		if (!sums) {
			track->delta = 0;
			continue;
		}

		const struct watch_kind_sum sum = {
			.weight = pm_owner_sum_weight(&sums->items[owner]),
			.regions = sums->items[owner].regions,
		};

		track->owner = (enum pm_owner)owner;
		if (add_sum(history, track, sum, !history->owners_known, error) < 0)
			return -1;
	}

	if (sums) {
		history->owner_sums = *sums;
		history->owners_known = true;
	}
	return 0;
}

void watch_history_judge(struct watch_history *history)
{
	pm_trend_judge(&history->memory.series, PM_TREND_BYTES, &history->memory.trend);
	pm_trend_judge(&history->threads.series, PM_TREND_COUNT, &history->threads.trend);
}

/** Returns what was measured, as the source of forecasts. */
static struct forecast_source forecast_source_of(const struct watch_history *history)
{
	return (struct forecast_source){ .counters = &history->counters,
		                         .memory = &history->memory.series,
		                         .size = &history->size,
		                         .memory_trend = &history->memory.trend,
		                         .threads_trend = &history->threads.trend,
		                         .beneath_trend = &history->beneath.trend };
}

void watch_history_find_beneath(struct watch_history *history)
{
	const struct pm_trend *trend = &history->memory.trend;
	struct watch_beneath *beneath = &history->beneath;

	*beneath = (struct watch_beneath){ 0 };
	if (trend->verdict != PM_VERDICT_TOO_EARLY && pm_trend_growth_rate(trend) <= 0)
		beneath->track = pm_tracker_find_growing(history->tracker, &beneath->trend);

	const struct forecast_source source = forecast_source_of(history);
	for (size_t i = 0; i < history->headroom.count; i++)
		forecast_set_beneath(&source, &history->headroom.limits[i], &history->forecasts[i]);
}

/** Forecasts when each limit is reached. */
static void forecast_limits(struct watch_history *history)
{
	const struct pm_headroom *headroom = &history->headroom;
	const struct forecast_source source = forecast_source_of(history);

	for (size_t i = 0; i < headroom->count; i++)
		forecast_make(&source, &headroom->limits[i], &history->forecasts[i]);
}

void watch_history_count_limits(struct watch_history *history, const struct pm_headroom *headroom)
{
	double now = history->sample.time;

	if (history->counted && history->counted_at >= now)
		return;

	/* If memory runs out, the trends are those without the last sample. */
	limit_counters_add(&history->counters, now, headroom, NULL);
	history->counted = true;
	history->counted_at = now;
}

/** Returns whether there are limits of runtimes. */
static bool has_runtimes(const struct pm_headroom *headroom)
{
	for (size_t i = 0; i < headroom->count; i++)
		if (pm_limit_is_of_runtime(headroom->limits[i].kind))
			return true;
	return false;
}

void watch_history_set_headroom(struct watch_history *history, const struct pm_headroom *headroom,
                                bool counts)
{
	struct pm_headroom previous = history->headroom;

	history->headroom = *headroom;
	history->limits_read = headroom->count;

	watch_history_count_limits(history, headroom);

	bool runtimes = has_runtimes(headroom);
	for (size_t i = 0; i < previous.count; i++) {
		const struct pm_limit *limit = &previous.limits[i];
		bool kept = limit->counts ? !counts : !runtimes;

		if (kept && (limit->counts || pm_limit_is_of_runtime(limit->kind)))
			history->headroom.limits[history->headroom.count++] = *limit;
	}

	forecast_limits(history);
}

/** Returns the index of a limit; the number of limits if the history does not have this limit. */
static size_t find_limit(const struct pm_headroom *headroom, const struct pm_limit *limit)
{
	size_t i = 0;

	while (i < headroom->count && (headroom->limits[i].kind != limit->kind ||
	                               strcmp(headroom->limits[i].source, limit->source) != 0))
		i++;

	return i;
}

struct forecast_time watch_history_time(const struct watch_history *history,
                                        const struct pm_limit *limit)
{
	size_t index = find_limit(&history->headroom, limit);

	if (history->gone || index == history->headroom.count)
		return (struct forecast_time){ 0 };

	return forecast_time(&history->forecasts[index]);
}

const struct pm_limit *watch_history_first_limit(const struct watch_history *history)
{
	return first_limit(&history->headroom, history->gone ? NULL : history->forecasts);
}

const struct pm_track *watch_history_owner(const struct watch_history *history, size_t region)
{
	const struct pm_track *track = pm_tracker_owner(history->tracker, region);
	const struct watch_similar_group *group = watch_similar_of(history->similar, track);

	return group ? &group->track : track;
}

struct pm_region_range *watch_history_regions(const struct watch_history *history,
                                              const struct pm_track *track, size_t *count)
{
	const struct pm_regions *regions = history->sample.regions;
	struct pm_region_range *ranges = alloc_array(NULL, track->regions + 1, sizeof *ranges);

	*count = 0;
	for (size_t i = 0; i < regions->count && *count < track->regions; i++) {
		const struct pm_region *region = &regions->items[i];
		if (pm_tracker_owner(history->tracker, i) == track ||
		    watch_history_owner(history, i) == track)
			ranges[(*count)++] = (struct pm_region_range){
				.range = { region->start, region->end }, .region = i
			};
	}

	return ranges;
}

void watch_history_rebase(struct watch_history *history)
{
	pm_tracker_rebase(history->tracker);
	if (history->similar)
		watch_similar_rebase(history->similar);
	for (size_t kind = 0; kind < PM_KIND_COUNT; kind++)
		history->kinds[kind].baseline = history->kinds[kind].weight;
	for (size_t owner = 0; owner < PM_OWNER_COUNT; owner++)
		history->owners[owner].baseline = history->owners[owner].weight;

	history->first = history->sample.totals;
	history->based = history->sample.time;
}

/** Copies a series with its points. */
static struct pm_series copy_series(const struct pm_series *series)
{
	struct pm_series copy = { .last = series->last, .samples = series->samples };

	if (series->count > 0) {
		copy.points = alloc_array(NULL, series->count, sizeof *copy.points);
		memcpy(copy.points, series->points, series->count * sizeof *copy.points);
		copy.count = copy.capacity = series->count;
	}

	return copy;
}

/** Copies the sample without the regions, which belong to the sampler. */
static struct pm_sample copy_sample(const struct pm_sample *sample)
{
	return (struct pm_sample){ .time = sample->time,
		                   .wall_ns = sample->wall_ns,
		                   .totals = sample->totals,
		                   .fresh = sample->fresh,
		                   .held_back = sample->held_back,
		                   .exact = sample->exact,
		                   .cost = sample->cost };
}

void watch_history_copy(struct watch_history *copy, const struct watch_history *history)
{
	*copy = (struct watch_history){
		.sample = copy_sample(&history->sample),
		.first = history->first,
		.previous = history->previous,
		.memory = { copy_series(&history->memory.series), history->memory.trend },
		.threads.trend = history->threads.trend,
		.beneath.trend = history->beneath.trend,
		.headroom = history->headroom,
		.limits_read = history->limits_read,
		.reserves = watch_reserve_copy(&history->reserves),
		.began = history->began,
		.based = history->based,
		.samples = history->samples,
		.measured = history->measured,
		.held_back = history->held_back,
		.recorded = history->recorded,
		.gone = history->gone,
	};
	memcpy(copy->forecasts, history->forecasts, sizeof copy->forecasts);

	/* Of the tracks of kinds and owners, copy only the series: their texts are constants, and
	 * their `counts` are empty. */
	for (size_t kind = 0; kind < PM_KIND_COUNT; kind++) {
		copy->kinds[kind] = history->kinds[kind];
		copy->kinds[kind].series = copy_series(&history->kinds[kind].series);
	}

	copy->owners_known = history->owners_known;
	copy->owners_fresh = history->owners_fresh;
	copy->owner_sums = history->owner_sums;
	for (size_t owner = 0; owner < PM_OWNER_COUNT; owner++) {
		copy->owners[owner] = history->owners[owner];
		copy->owners[owner].series = copy_series(&history->owners[owner].series);
	}
}

int watch_history_copy_track(struct pm_track *copy, const struct pm_track *track,
                             struct pm_regions *details, struct pm_error *error)
{
	*copy = *track;
	copy->series = copy_series(&track->series);
	copy->counts = copy_series(&track->counts);

	/* Copy the name of the mapping: the name in the tracker is valid only until the next
	 * sample. */
	copy->mapping = alloc_string(track->mapping);
	return pm_regions_copy_detail(details, &track->detail, &copy->detail, error);
}

void watch_history_deinit_track(struct pm_track *copy)
{
	pm_series_deinit(&copy->series);
	pm_series_deinit(&copy->counts);
	free((char *)copy->mapping);
}

void watch_history_deinit(struct watch_history *history)
{
	pm_series_deinit(&history->memory.series);
	pm_series_deinit(&history->size);
	pm_series_deinit(&history->threads.series);
	for (size_t kind = 0; kind < PM_KIND_COUNT; kind++)
		pm_series_deinit(&history->kinds[kind].series);
	for (size_t owner = 0; owner < PM_OWNER_COUNT; owner++)
		pm_series_deinit(&history->owners[owner].series);

	limit_counters_deinit(&history->counters);
	watch_reserve_deinit(&history->reserves);
	watch_similar_destroy(history->similar);
	pm_tracker_destroy(history->tracker);
	*history = (struct watch_history){ 0 };
}
