/* SPDX-License-Identifier: MIT */
#include "watch/screen/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "watch/peek/peek.h"
#include "watch/peek/print.h"
#include "watch/sort.h"

/** A copy that owns its points. */
static struct pm_series copy_series(const struct pm_series *series)
{
	struct pm_series copy = *series;
	copy.points = NULL;
	copy.capacity = 0;

	if (series->count > 0) {
		copy.points = alloc_array(NULL, series->count, sizeof *copy.points);
		memcpy(copy.points, series->points, series->count * sizeof *copy.points);
		copy.capacity = series->count;
	}

	return copy;
}

static int copy_track(struct screen_snapshot_track *copy, struct pm_regions *details,
                      const struct watch *watch, const struct watch_row *row,
                      struct pm_error *error)
{
	*copy = (struct screen_snapshot_track){ .track = *row->track, .live = row->track };
	copy->track.series = copy_series(&row->track->series);
	copy->track.counts = copy_series(&row->track->counts);

	/* Names live until the next look only. */
	copy->track.mapping = alloc_string(row->track->mapping);
	peek_print_describe(watch, row, &copy->peek);

	return pm_regions_copy_detail(details, &row->track->detail, &copy->track.detail, error);
}

/** Copies the kinds; their rows are made when they are sorted. */
static void copy_kinds(struct watch_kinds *copy, const struct watch_kinds *kinds)
{
	*copy = (struct watch_kinds){ 0 };
	for (size_t kind = 0; kind < PM_KIND_COUNT; kind++) {
		copy->tracks[kind] = kinds->tracks[kind];
		copy->tracks[kind].series = copy_series(&kinds->tracks[kind].series);
		copy->tracks[kind].counts = (struct pm_series){ 0 };
	}
}

/** What there is to be told of the process, without what looks at it. */
static void copy_watch(struct screen_snapshot *still, const struct watch *watch)
{
	still->watch = *watch;
	still->watch.memory = copy_series(&watch->memory);
	still->watch.size = still->watch.mappings = still->watch.threads = (struct pm_series){ 0 };
	still->watch.sampler = NULL;
	still->watch.replay = NULL;
	still->watch.recorder = NULL;
	still->watch.peek = NULL;
	still->watch.kills = NULL;

	still->watch.sample.regions = NULL;
	still->watch.sample.appeared = NULL;
	still->watch.sample.appeared_count = 0;
	still->watch.rows = NULL;
	still->watch.kinds = NULL;
	still->watch.row_count = 0;
	still->watch.ended_words = (struct text){ 0 };
	still->watch.firings = (struct text){ 0 };

	still->watch.still = still->pointers;
	still->watch.still_count = still->count;
	still->watch.all_rows = true;
}

int screen_snapshot_take(struct screen_snapshot *still, const struct watch *watch,
                         const struct watch_kinds *kinds, struct pm_error *error)
{
	/* Sorted by size there is a row for everything: whatever the picture will be sorted by,
	 * what it needs is there. */
	struct watch_options by_size = *watch->options;
	struct watch everything = *watch;

	by_size.sort = WATCH_BY_RSS;
	everything.options = &by_size;
	everything.rows = NULL;
	everything.all_rows = true;
	if (watch_sort_rows(&everything, error) < 0) {
		free(everything.rows);
		return -1;
	}

	*still = (struct screen_snapshot){ .taken = true, .count = everything.row_count };
	still->tracks = alloc_array(NULL, still->count + 1, sizeof *still->tracks);
	still->pointers = alloc_array(NULL, still->count + 1, sizeof(struct pm_track *));

	int result = 0;
	for (size_t i = 0; i < still->count; i++) {
		result |= copy_track(&still->tracks[i], &still->details, watch, &everything.rows[i],
		                     error);
		still->pointers[i] = &still->tracks[i].track;
	}

	free(everything.rows);
	copy_kinds(&still->kinds, kinds);
	copy_watch(still, watch);

	return result < 0 ? -1 : watch_sort_rows(&still->watch, error);
}

void screen_snapshot_drop(struct screen_snapshot *still)
{
	for (size_t i = 0; i < still->count; i++) {
		struct screen_snapshot_track *copy = &still->tracks[i];
		pm_series_deinit(&copy->track.series);
		pm_series_deinit(&copy->track.counts);
		free((char *)copy->track.mapping);
		text_deinit(&copy->peek);
	}

	if (still->taken) {
		watch_kinds_deinit(&still->kinds);
		pm_series_deinit(&still->watch.memory);
		free(still->watch.rows);
	}

	pm_regions_deinit(&still->details);
	free(still->tracks);
	free(still->pointers);
	*still = (struct screen_snapshot){ 0 };
}

const struct pm_track *screen_snapshot_live(const struct screen_snapshot *still,
                                            const struct watch_kinds *kinds,
                                            const struct pm_track *track)
{
	for (size_t i = 0; i < PM_KIND_COUNT; i++)
		if (track == &still->kinds.tracks[i])
			return &kinds->tracks[i];
	/* A track of the picture is the first member of what is known of it. */
	return ((const struct screen_snapshot_track *)(const void *)track)->live;
}

const struct pm_track *screen_snapshot_of(const struct screen_snapshot *still,
                                          const struct watch_kinds *kinds,
                                          const struct pm_track *live)
{
	for (size_t i = 0; i < PM_KIND_COUNT; i++)
		if (live == &kinds->tracks[i])
			return &still->kinds.tracks[i];

	for (size_t i = 0; i < still->count; i++)
		if (still->tracks[i].live == live)
			return &still->tracks[i].track;
	return NULL;
}

void screen_snapshot_describe_peek(const struct screen_snapshot *still, const struct watch_row *row,
                                   struct text *text)
{
	for (size_t i = 0; i < still->count; i++)
		if (row->track == &still->tracks[i].track)
			text_bytes(text, still->tracks[i].peek.bytes, still->tracks[i].peek.length);
}
