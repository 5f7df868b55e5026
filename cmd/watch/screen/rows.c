/* SPDX-License-Identifier: MIT */
#include "watch/screen/rows.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "watch/format.h"

void screen_rows_deinit(struct screen_rows *rows)
{
	free(rows->items);
	free(rows->parts);
	free(rows->expanded.items);
	name_filter_deinit(&rows->filter);
	text_deinit(&rows->filter_text);
	*rows = (struct screen_rows){ 0 };
}

/**
 * Checks whether a filter matches the kind or the description of a row. If `address` is true, it
 * can also match the addresses of the row.
 */
static bool fits(const struct name_filter *filter, const struct watch_row *row, bool address)
{
	struct text words = { 0 };

	if (name_filter_fits(filter, row->label ? row->label : pm_kind_name(row->track->kind)))
		return true;

	watch_format_describe(row, &words);
	bool found = name_filter_fits(filter, text_terminate(&words));
	if (!found && address) {
		text_clear(&words);
		text_format(&words, "%08llx-%08llx", (unsigned long long)row->track->start,
		            (unsigned long long)row->track->end);
		found = name_filter_fits(filter, text_terminate(&words));
	}

	text_deinit(&words);
	return found;
}

/** Returns the track by which a row is known: for a single region, that of its row. */
static const struct pm_track *track_of(const struct watch_row *row)
{
	return row->part_of ? row->part_of : row->track;
}

/**
 * Finds the index of the selected track, or of its selected region. If a region is no longer
 * displayed, the row of its track is selected. If this track no longer has a row, the index stays
 * the same, so that the row that is now at this index is selected.
 */
static void find_selected(struct screen_rows *rows)
{
	if (!rows->selected)
		rows->index = 0;

	bool found = false;
	for (size_t i = 0; rows->selected && i < rows->count; i++) {
		const struct watch_row *row = rows->items[i];

		if (track_of(row) != rows->selected)
			continue;
		if (!found)
			rows->index = i;
		found = true;
		if (row->part_of && row->track->start == rows->selected_part) {
			rows->index = i;
			return;
		}
	}

	rows->selected_part = 0;
	if (found)
		return;

	if (rows->index >= rows->count)
		rows->index = rows->count > 0 ? rows->count - 1 : 0;
}

/**
 * Adds the rows of the regions of a track.
 * @param used  number of elements of `rows->parts` that are used
 * @return      number of rows
 */
static size_t add_parts(struct screen_rows *rows, const struct screen_parts *parts,
                        const struct pm_track *track, size_t used)
{
	size_t count = screen_parts_rows(parts, track, rows->parts + used);

	for (size_t i = 0; i < count; i++)
		rows->items[rows->count++] = &rows->parts[used + i].row;
	return count;
}

void screen_rows_update(struct screen_rows *rows, const struct watch_history *history,
                        struct watch_view *view, const struct screen_parts *parts)
{
	struct watch_row *all = view->rows;
	size_t count = view->row_count;

	if (rows->grouped) {
		if (rows->by_owner)
			watch_view_sum_owners(&rows->sums, history, view->sort);
		else
			watch_view_sum_kinds(&rows->sums, history, view->sort);
		all = rows->sums.rows;
		count = rows->sums.count;
	}

	bool expands = !rows->grouped && rows->expanded.count > 0 && parts->taken;
	size_t room = expands ? parts->regions.count : 0;

	rows->items = alloc_array(rows->items, count + room, sizeof(struct watch_row *));
	rows->parts = alloc_array(rows->parts, room + 1, sizeof *rows->parts);
	rows->count = rows->fitting = 0;

	size_t used = 0;
	for (size_t i = 0; i < count; i++) {
		if (rows->filter_text.length > 0 && !fits(&rows->filter, &all[i], false))
			continue;
		rows->items[rows->count++] = &all[i];
		rows->fitting++;
		if (expands && screen_parts_are_of(&rows->expanded, all[i].track))
			used += add_parts(rows, parts, all[i].track, used);
	}

	rows->hidden = count - rows->fitting;
	find_selected(rows);
}

bool screen_rows_expand(struct screen_rows *rows, enum screen_action action)
{
	const struct watch_row *row = screen_rows_selected(rows);
	struct screen_tracks *expanded = &rows->expanded;

	if (!row || rows->grouped || track_of(row)->regions < 2)
		return false;

	const struct pm_track *track = track_of(row);
	bool is_expanded = screen_parts_are_of(expanded, track);

	/* With the track, the row stays selected: its regions are displayed below it. */
	rows->selected = track;
	if (is_expanded && action != SCREEN_EXPAND) {
		size_t kept = 0;
		for (size_t i = 0; i < expanded->count; i++)
			if (expanded->items[i] != track)
				expanded->items[kept++] = expanded->items[i];
		expanded->count = kept;
		rows->selected_part = 0;
	} else if (!is_expanded && action != SCREEN_COLLAPSE) {
		expanded->items = alloc_array(expanded->items, expanded->count + 1,
		                              sizeof(struct pm_track *));
		expanded->items[expanded->count++] = track;
	}
	return true;
}

void screen_rows_select(struct screen_rows *rows, size_t index)
{
	const struct watch_row *row = rows->items[index];

	rows->index = index;
	rows->selected = track_of(row);
	rows->selected_part = row->part_of ? row->track->start : 0;
}

void screen_rows_move(struct screen_rows *rows, long by)
{
	if (rows->count == 0)
		return;

	size_t last = rows->count - 1;
	if (by < 0) {
		size_t up = -(unsigned long)by;
		rows->index = rows->index > up ? rows->index - up : 0;
	} else {
		size_t down = (unsigned long)by;
		rows->index = down < last - rows->index ? rows->index + down : last;
	}

	/* If the user selects the first row, store NULL: then the first row stays selected, even if
	 * another track becomes the first row. */
	screen_rows_select(rows, rows->index);
	if (rows->index == 0)
		rows->selected = NULL;
}

void screen_rows_scroll(struct screen_rows *rows, size_t height)
{
	if (height == 0)
		return;

	if (rows->index < rows->top)
		rows->top = rows->index;
	if (rows->index >= rows->top + height)
		rows->top = rows->index - height + 1;
	if (rows->top + height > rows->count)
		rows->top = rows->count > height ? rows->count - height : 0;
}

struct watch_row *screen_rows_selected(const struct screen_rows *rows)
{
	return rows->index < rows->count ? rows->items[rows->index] : NULL;
}

int screen_rows_filter(struct screen_rows *rows, const char *pattern, struct pm_error *error)
{
	struct name_filter filter;
	if (name_filter_init_caseless(&filter, *pattern ? pattern : NULL, error) < 0)
		return -1;

	name_filter_deinit(&rows->filter);
	rows->filter = filter;
	text_clear(&rows->filter_text);
	text_string(&rows->filter_text, pattern);
	return 0;
}

int screen_rows_search(struct screen_rows *rows, const char *pattern, struct pm_error *error)
{
	struct name_filter filter;
	if (name_filter_init_caseless(&filter, pattern, error) < 0)
		return -1;

	size_t step = 1;
	while (step <= rows->count &&
	       !fits(&filter, rows->items[(rows->index + step) % rows->count], true))
		step++;

	name_filter_deinit(&filter);
	if (step > rows->count)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "no row matches '%s'", pattern);

	screen_rows_select(rows, (rows->index + step) % rows->count);
	return 0;
}
