/* SPDX-License-Identifier: MIT */
#include "why/texts.h"

#include <string.h>

#include "base/minmax.h"

/* Seconds between two searches, and the maximum number of bytes of one track and of all tracks in
 * one search. A search takes some hundredths of a second. */
static const double search_interval = 4;
static const uint64_t search_bytes = UINT64_C(4) << 20, search_bytes_all = UINT64_C(16) << 20;

void why_texts_begin(struct why_texts *texts, struct pm_process *process)
{
	if (pm_page_strings_open(process, true, &texts->strings, NULL) < 0)
		texts->strings = NULL;
}

void why_texts_deinit(struct why_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		pm_page_strings_found_deinit(&texts->items[i].found);
	pm_page_strings_close(texts->strings);
	*texts = (struct why_texts){ 0 };
}

/** Finds the entry of a track, or makes one. Returns NULL if there are too many. */
static struct why_track_texts *find_track(struct why_texts *texts, const struct pm_track *track)
{
	for (size_t i = 0; i < texts->count; i++)
		if (texts->items[i].track == track)
			return &texts->items[i];
	if (texts->count == WHY_TEXT_TRACKS)
		return NULL;

	struct why_track_texts *item = &texts->items[texts->count++];
	item->track = track;
	return item;
}

/** Stores the pages that appeared: those of a track replace its older ones. */
static void keep_new(struct why_texts *texts, const struct pm_tracker *tracker,
                     const struct pm_sample *sample)
{
	const struct pm_track *last = NULL;

	for (size_t i = 0; i < sample->appeared_count; i++) {
		const struct pm_region_range *range = &sample->appeared[i];
		const struct pm_track *track = pm_tracker_owner(tracker, range->region);

		if (!track || track->delta <= 0 || track->kind == PM_KIND_STACK)
			continue;

		struct why_track_texts *item = find_track(texts, track);
		if (!item)
			continue;
		if (track != last)
			item->range_count = 0;
		last = track;
		if (item->range_count < sizeof item->ranges / sizeof *item->ranges)
			item->ranges[item->range_count++] = range->range;
	}
}

/** Adds the parts of the newest pages that still belong to the track. */
static int collect(const struct why_track_texts *item, const struct pm_tracker *tracker,
                   const struct pm_regions *regions, struct pm_page_set *pages,
                   struct pm_error *error)
{
	for (size_t r = 0; r < item->range_count; r++) {
		const struct pm_range range = item->ranges[r];

		for (size_t i = pm_regions_index(regions, range.start);
		     i < regions->count && regions->items[i].start < range.end; i++) {
			const struct pm_range part = pm_range_clip(
				range, pm_region_bounds(&regions->items[i]));

			if (pm_tracker_owner(tracker, i) == item->track && part.end > part.start &&
			    pm_page_set_add(pages, part, regions, error) < 0)
				return -1;
		}
	}

	return 0;
}

static int search_track(struct why_texts *texts, struct why_track_texts *item,
                        const struct pm_tracker *tracker, const struct pm_regions *regions,
                        uint64_t max, struct pm_error *error)
{
	const struct pm_page_strings_options options = { .max = (size_t)WHY_TEXTS * 4 };
	struct pm_page_strings_found found = { 0 };
	struct pm_page_set pages = { 0 };

	int result = collect(item, tracker, regions, &pages, error);
	if (result == 0)
		result = pm_page_set_thin(&pages, max, error);
	if (result == 0 && pages.bytes > 0)
		result = pm_page_strings_find(texts->strings, &pages, &options, &found, error);
	pm_page_set_deinit(&pages);

	if (result == 0 && found.count > 0) {
		texts->bytes += found.searched;
		pm_page_strings_found_deinit(&item->found);
		item->found = found;
	} else {
		pm_page_strings_found_deinit(&found);
	}
	item->range_count = 0;
	return result;
}

/** Searches the newest pages of all tracks that have some. */
static int search_tracks(struct why_texts *texts, const struct pm_tracker *tracker,
                         const struct pm_regions *regions, struct pm_error *error)
{
	uint64_t count = 0;
	int result = 0;

	for (size_t i = 0; i < texts->count; i++)
		count += texts->items[i].range_count > 0;
	if (count == 0)
		return 0;

	uint64_t max = pm_min(search_bytes, search_bytes_all / count);
	for (size_t i = 0; i < texts->count && result == 0; i++)
		if (texts->items[i].range_count > 0)
			result = search_track(texts, &texts->items[i], tracker, regions, max,
			                      error);
	return result;
}

int why_texts_add(struct why_texts *texts, const struct pm_tracker *tracker,
                  const struct pm_sample *sample, struct pm_error *error)
{
	struct pm_error why = { 0 };
	int result = 0;

	if (!texts->strings || !sample->fresh || sample->appeared_count == 0)
		return 0;

	keep_new(texts, tracker, sample);
	if (texts->searched > 0 && sample->time - texts->searched < search_interval)
		return 0;

	texts->searched = sample->time;
	if (pm_page_strings_begin(texts->strings, sample->regions, &why) == 0) {
		result = search_tracks(texts, tracker, sample->regions, &why);
		pm_page_strings_end(texts->strings);
	}

	/* If the process is gone, the next sample says so. */
	if (result == 0 || why.kind != PM_ERROR_RESOURCES)
		return 0;
	*error = why;
	return -1;
}
