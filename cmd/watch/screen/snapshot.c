/* SPDX-License-Identifier: MIT */
#include "watch/screen/snapshot.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "watch/peek/print.h"

static int copy_track(struct screen_snapshot_track *copy, struct pm_regions *details,
                      const struct peek *peek, const struct watch_row *row, struct pm_error *error)
{
	const struct peek_result *found = peek_found(peek, row);

	*copy = (struct screen_snapshot_track){ .live = row->track };
	if (found)
		peek_print_describe(found, row, &copy->peek);
	return watch_history_copy_track(&copy->track, row->track, details, error);
}

/** Copies the tracks of some rows. */
static int copy_tracks(struct screen_snapshot *snapshot, const struct peek *peek,
                       const struct watch_row *rows, size_t count, struct pm_error *error)
{
	int result = 0;

	pm_regions_init(&snapshot->details);
	snapshot->tracks = alloc_array(NULL, count + 1, sizeof *snapshot->tracks);
	snapshot->pointers = alloc_array(NULL, count + 1, sizeof(struct pm_track *));
	snapshot->files = alloc_array(NULL, count + 1, sizeof *snapshot->files);
	snapshot->count = count;

	for (size_t i = 0; i < count; i++) {
		result |= copy_track(&snapshot->tracks[i], &snapshot->details, peek, &rows[i],
		                     error);
		snapshot->pointers[i] = &snapshot->tracks[i].track;
		snapshot->files[i] = rows[i].files;
	}

	return result < 0 ? -1 : 0;
}

int screen_snapshot_take(struct screen_snapshot *snapshot, const struct watch_history *history,
                         const struct watch_view *view, const struct peek *peek,
                         struct pm_error *error)
{
	/* Make the rows in the order by size: the tracks that have a row in this order include all
	 * that have a row in any other order. */
	struct watch_view everything = { .select = view->select,
		                         .sort = WATCH_BY_RSS,
		                         .all_rows = true };

	*snapshot = (struct screen_snapshot){ 0 };
	if (watch_view_update(&everything, history, error) < 0) {
		watch_view_deinit(&everything);
		return -1;
	}

	snapshot->taken = true;
	int result = copy_tracks(snapshot, peek, everything.rows, everything.row_count, error);
	watch_view_deinit(&everything);

	watch_history_copy(&snapshot->history, history);
	snapshot->history.tracks = snapshot->pointers;
	snapshot->history.track_count = snapshot->count;
	snapshot->history.files = snapshot->files;
	if (history->beneath.track)
		snapshot->history.beneath.track = screen_snapshot_of(snapshot, history,
		                                                     history->beneath.track);

	/* The view needs no selection: only chosen tracks were copied. */
	snapshot->view =
		(struct watch_view){ .sort = view->sort, .bytes = view->bytes, .all_rows = true };
	if (result < 0)
		return -1;
	return watch_view_update(&snapshot->view, &snapshot->history, error);
}

int screen_snapshot_take_parts(struct screen_snapshot *snapshot,
                               const struct watch_history *history, struct pm_error *error)
{
	struct screen_parts *parts = &snapshot->parts;
	const struct pm_track *last = NULL, *copy = NULL;

	if (screen_parts_take(parts, history, NULL, error) < 0)
		return -1;

	for (size_t i = 0; i < parts->regions.count; i++) {
		if (parts->tracks[i] != last) {
			last = parts->tracks[i];
			copy = screen_snapshot_of(snapshot, history, last);
		}
		parts->tracks[i] = copy;
	}
	return 0;
}

void screen_snapshot_drop(struct screen_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->count; i++) {
		watch_history_deinit_track(&snapshot->tracks[i].track);
		text_deinit(&snapshot->tracks[i].peek);
	}

	watch_history_deinit(&snapshot->history);
	watch_view_deinit(&snapshot->view);
	free(snapshot->tracks);
	free(snapshot->pointers);
	free(snapshot->files);
	screen_parts_deinit(&snapshot->parts);
	pm_regions_deinit(&snapshot->details);
	*snapshot = (struct screen_snapshot){ 0 };
}

const struct pm_track *screen_snapshot_live(const struct screen_snapshot *snapshot,
                                            const struct watch_history *history,
                                            const struct pm_track *track)
{
	for (size_t i = 0; i < PM_KIND_COUNT; i++)
		if (track == &snapshot->history.kinds[i])
			return &history->kinds[i];
	for (size_t i = 0; i < PM_OWNER_COUNT; i++)
		if (track == &snapshot->history.owners[i])
			return &history->owners[i];

	/* The track is a copy, which is the first member of a struct screen_snapshot_track. */
	return ((const struct screen_snapshot_track *)(const void *)track)->live;
}

const struct pm_track *screen_snapshot_of(const struct screen_snapshot *snapshot,
                                          const struct watch_history *history,
                                          const struct pm_track *live)
{
	for (size_t i = 0; i < PM_KIND_COUNT; i++)
		if (live == &history->kinds[i])
			return &snapshot->history.kinds[i];
	for (size_t i = 0; i < PM_OWNER_COUNT; i++)
		if (live == &history->owners[i])
			return &snapshot->history.owners[i];

	for (size_t i = 0; i < snapshot->count; i++)
		if (snapshot->tracks[i].live == live)
			return &snapshot->tracks[i].track;

	return NULL;
}

void screen_snapshot_describe_peek(const struct screen_snapshot *snapshot,
                                   const struct watch_row *row, struct text *text)
{
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct screen_snapshot_track *copy = &snapshot->tracks[i];
		if (row->track == &copy->track)
			text_bytes(text, copy->peek.bytes, copy->peek.length);
	}
}
