/* SPDX-License-Identifier: MIT */
#include "watch.h"

#include <stdlib.h>

#include "alloc.h"
#include "sampled.h"

/* All regions are looked at so often, even if the totals stand still: as much may be mapped as is unmapped. In seconds. */
static const double full_every = 30;

static bool is_chosen(const struct watch *watch, const struct pm_range *ranges, size_t count, const struct pm_track *track)
{
	if (pm_select_is_everything(watch->options->selection.select))
		return true;
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (ranges[middle].end <= track->start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && ranges[low].start < track->end && track->regions > 0;
}

static double sort_key(enum watch_sort sort, const struct watch_row *row)
{
	switch (sort) {
	case WATCH_BY_RATE:
		return row->trend.rate;
	case WATCH_BY_RSS:
		return (double)row->track->weight;
	case WATCH_BY_DELTA:
		return (double)row->track->delta;
	default:
		return (double)row->growth;
	}
}

static int compare_rows(const void *one, const void *other, void *context)
{
	const struct watch_row *a = one, *b = other;
	enum watch_sort sort = *(const enum watch_sort *)context;
	double first = sort_key(sort, a), second = sort_key(sort, b);
	if (first != second)
		return first < second ? 1 : -1;
	/* What does not grow is still told from each other by size, and at last by address. */
	if (a->track->weight != b->track->weight)
		return a->track->weight < b->track->weight ? 1 : -1;
	return (a->track->start > b->track->start) - (a->track->start < b->track->start);
}

/** Whether anything of it ever changed that is worth a row. Guards come and go with what they guard. */
static bool has_changed(const struct pm_track *track)
{
	if (track->kind == PM_KIND_GUARD && track->series.count == 0)
		return false;
	return track->series.count > 0 || track->counts.count > 0;
}

/** Makes the rows; sorting by size wants what did not change as well. */
static int sort_rows(struct watch *watch, struct pm_error *error)
{
	struct pm_range *ranges = NULL;
	size_t range_count = 0, count;
	bool all = watch->options->sort == WATCH_BY_RSS;
	const struct pm_track *const *tracks = pm_tracker_tracks(watch->tracker, &count);
	if (!pm_select_is_everything(watch->options->selection.select) &&
	    pm_select_apply(watch->options->selection.select, watch->sample.regions, &ranges, &range_count, error) < 0 && error->kind != PM_ERROR_NOT_FOUND)
		return -1;
	watch->rows = alloc_array(watch->rows, count, sizeof *watch->rows);
	watch->row_count = 0;
	for (size_t i = 0; i < count; i++) {
		if (!(all || has_changed(tracks[i])) || !is_chosen(watch, ranges, range_count, tracks[i]))
			continue;
		struct watch_row *row = &watch->rows[watch->row_count++];
		*row = (struct watch_row){ .track = tracks[i], .growth = (int64_t)(tracks[i]->weight - tracks[i]->baseline) };
		if (watch->options->sort == WATCH_BY_RATE)
			pm_track_judge(watch->tracker, tracks[i], &row->trend);
	}
	free(ranges);
	enum watch_sort sort = watch->options->sort;
	qsort_r(watch->rows, watch->row_count, sizeof *watch->rows, compare_rows, &sort);
	if (watch->row_count > watch->options->top)
		watch->row_count = (size_t)watch->options->top;
	/* Judging looks at all pairs of moments: only for those that are shown. */
	for (size_t i = 0; i < watch->row_count; i++) {
		struct watch_row *row = &watch->rows[i];
		pm_track_judge(watch->tracker, row->track, &row->trend);
		if (row->track->counts.count > 0)
			pm_track_judge_count(watch->tracker, row->track, &row->count_trend);
	}
	return 0;
}

/** Books a sample that was taken. */
static int add_sample(struct watch *watch, struct pm_error *error)
{
	const struct pm_sample *sample = &watch->sample;
	watch->samples++;
	watch->held_back += sample->held_back;
	if (pm_series_add(&watch->memory, sample->time, sample->totals.rss + sample->totals.swap, error) < 0)
		return -1;
	pm_trend_judge(&watch->memory, PM_TREND_BYTES, &watch->memory_trend);
	/* What was not looked at is not known to be unchanged. */
	if (!sample->held_back && pm_tracker_add(watch->tracker, sample->time, sample->fresh ? sample->regions : NULL, error) < 0)
		return -1;
	if (watch->recorder && pm_recorder_add(watch->recorder, sample, error) < 0)
		return -1;
	/* A limit that cannot be read is no reason to stop. */
	if (pm_headroom_read_memory(watch->target->process, NULL, &watch->headroom, NULL) < 0)
		watch->headroom = (struct pm_headroom){ 0 };
	return sort_rows(watch, error);
}

int watch_init(struct watch *watch, const struct watch_options *options, const struct target *target, struct pm_error *error)
{
	const struct pm_sampler_options sampling = { .budget = options->budget, .full_every = full_every, .kinds = true };
	*watch = (struct watch){ .options = options, .target = target };
	if (pm_run_describe(target->process, &watch->run, error) < 0 || pm_sampler_open(target->process, &sampling, &watch->sampler, error) < 0 ||
	    pm_tracker_create(&watch->tracker, error) < 0 ||
	    (options->record && pm_recorder_open(options->record, &watch->run, &watch->recorder, error) < 0) ||
	    pm_sampler_take(watch->sampler, &watch->sample, error) < 0) {
		watch_deinit(watch);
		return -1;
	}
	watch->first = watch->previous = watch->sample.totals;
	watch->began = watch->sample.time;
	if (add_sample(watch, error) == 0)
		return 0;
	watch_deinit(watch);
	return -1;
}

void watch_deinit(struct watch *watch)
{
	free(watch->rows);
	pm_series_deinit(&watch->memory);
	pm_recorder_close(watch->recorder);
	pm_tracker_destroy(watch->tracker);
	pm_sampler_close(watch->sampler);
	run_free(&watch->run);
	*watch = (struct watch){ 0 };
}

bool watch_step(struct watch *watch)
{
	struct pm_sample sample;
	if (pm_sampler_take(watch->sampler, &sample, &watch->failure) < 0) {
		watch->ended = watch->failure.kind == PM_ERROR_GONE ? "the process is gone" : "it cannot be watched any more";
		return false;
	}
	watch->previous = watch->sample.totals;
	watch->sample = sample;
	if (add_sample(watch, &watch->failure) < 0) {
		watch->ended = "an error ended it";
		return false;
	}
	return true;
}

bool watch_lasts(const struct watch *watch, double *seconds)
{
	const struct pm_limit *limit = pm_headroom_memory(&watch->headroom);
	if (!limit || watch->memory_trend.verdict != PM_VERDICT_STEADY || watch->memory_trend.rate <= 0)
		return false;
	*seconds = (double)pm_limit_left(limit) / watch->memory_trend.rate;
	return true;
}
