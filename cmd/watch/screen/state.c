/* SPDX-License-Identifier: MIT */
#include "watch/screen/state.h"

#include "base/utf8.h"

const struct watch_history *screen_state_history(const struct screen_state *state)
{
	return state->snapshot.taken ? &state->snapshot.history : &state->watch->history;
}

static struct watch_view *displayed_view(struct screen_state *state)
{
	return state->snapshot.taken ? &state->snapshot.view : &state->watch->view;
}

void screen_state_message(struct screen_state *state, const char *format, ...)
{
	struct text message = { 0 };
	va_list arguments;

	va_start(arguments, format);
	text_vformat(&message, format, arguments);
	va_end(arguments);

	text_clear(&state->message);
	utf8_escape(&state->message, message.bytes, message.length);
	text_deinit(&message);
}

void screen_state_update(struct screen_state *state)
{
	const struct screen_parts *parts = &state->parts;
	struct pm_error error;

	/* The sample that failed at the end may have replaced the regions, but not the tracks. */
	if (state->snapshot.taken)
		parts = &state->snapshot.parts;
	else if (!state->over && state->rows.expanded.count > 0 &&
	         screen_parts_take(&state->parts, &state->watch->history, &state->rows.expanded,
	                           &error) < 0)
		screen_state_message(state, "%s", error.text);

	screen_rows_update(&state->rows, screen_state_history(state), displayed_view(state), parts);
}

/** Makes the displayed rows again, for example in another order. */
static void update_view(struct screen_state *state)
{
	struct pm_error error;
	if (watch_view_update(displayed_view(state), screen_state_history(state), &error) < 0)
		screen_state_message(state, "%s", error.text);

	screen_state_update(state);
}

void screen_state_begin(struct screen_state *state, struct watch *watch)
{
	state->watch = watch;
	state->rows.grouped = state->rows.by_owner = watch->run.options->by_owner;
}

void screen_state_sort_by(struct screen_state *state, enum watch_sort sort)
{
	state->watch->view.sort = sort;
	state->snapshot.view.sort = sort;
	update_view(state);
}

void screen_state_sort(struct screen_state *state)
{
	enum watch_sort sort = state->watch->view.sort;

	/* The key passes over the orders that only the list has. */
	sort = sort + 1 < WATCH_SORTS ? (enum watch_sort)(sort + 1) : WATCH_BY_GROWTH;
	screen_state_sort_by(state, sort);
}

void screen_state_pick_sort(struct screen_state *state)
{
	static const char *const labels[WATCH_ORDERS] = {
		[WATCH_BY_GROWTH] = "growth   since the start, or since b",
		[WATCH_BY_RATE] = "rate     growth per second",
		[WATCH_BY_RSS] = "rss      resident and swapped bytes (all rows)",
		[WATCH_BY_DELTA] = "delta    change in the last sample",
		[WATCH_BY_ADDRESS] = "address  (all rows)",
		[WATCH_BY_KIND] = "kind     and then rss (all rows)",
		[WATCH_BY_MAPPING] = "mapping  and then address (all rows)",
	};

	screen_menu_open(&state->menu, "sort by (Enter: choose, Esc: back)", labels, WATCH_ORDERS,
	                 state->watch->view.sort);
}

void screen_state_expand(struct screen_state *state, enum screen_action action)
{
	if (action != SCREEN_COLLAPSE && state->over && !state->snapshot.parts.taken)
		screen_state_message(state, "the regions of the row are no longer known");
	else if (screen_rows_expand(&state->rows, action))
		screen_state_update(state);
	else
		screen_state_message(state, "this row is not a row of several regions");
}

void screen_state_group(struct screen_state *state)
{
	struct screen_rows *rows = &state->rows;

	if (rows->grouped && !rows->by_owner && screen_state_history(state)->owners_known) {
		rows->by_owner = true;
	} else {
		rows->grouped = !rows->grouped;
		rows->by_owner = false;
	}
	state->rows.selected = NULL;
	screen_state_update(state);
}

/** Replaces the expanded tracks by their copies in the snapshot, or by the originals. */
static void convert_expanded(struct screen_state *state, bool to_live)
{
	struct screen_tracks *expanded = &state->rows.expanded;
	const struct watch_history *history = &state->watch->history;
	size_t kept = 0;

	for (size_t i = 0; i < expanded->count; i++) {
		const struct pm_track *track = expanded->items[i];

		if (to_live)
			track = screen_snapshot_live(&state->snapshot, history, track);
		else
			track = screen_snapshot_of(&state->snapshot, history, track);
		if (track)
			expanded->items[kept++] = track;
	}
	expanded->count = kept;
}

static void freeze(struct screen_state *state)
{
	struct screen_snapshot *snapshot = &state->snapshot;
	const struct watch *watch = state->watch;
	struct pm_error error;

	int result = screen_snapshot_take(snapshot, &watch->history, &watch->view, watch->run.peek,
	                                  &error);
	/* The sample that failed at the end may have replaced the regions, but not the tracks. */
	if (result == 0 && !state->over)
		result = screen_snapshot_take_parts(snapshot, &watch->history, &error);

	if (result < 0) {
		screen_snapshot_drop(snapshot);
		screen_state_message(state, "%s", error.text);
	} else {
		/* The regions of this sample will be older than the rows when it is resumed. */
		screen_parts_deinit(&state->parts);
		convert_expanded(state, false);
		if (state->rows.selected)
			state->rows.selected = screen_snapshot_of(snapshot, &watch->history,
			                                          state->rows.selected);
	}

	screen_state_update(state);
}

static void thaw(struct screen_state *state)
{
	convert_expanded(state, true);
	if (state->rows.selected)
		state->rows.selected = screen_snapshot_live(
			&state->snapshot, &state->watch->history, state->rows.selected);

	screen_snapshot_drop(&state->snapshot);

	/* The sort order may have been changed while the screen was paused. */
	update_view(state);
}

void screen_state_pause(struct screen_state *state)
{
	if (state->snapshot.taken) {
		thaw(state);
		return;
	}

	freeze(state);
	if (state->snapshot.taken)
		screen_state_message(
			state,
			"the screen is paused; sampling, --record and --on continue (p: resume)");
}

void screen_state_rebase(struct screen_state *state)
{
	bool frozen = state->snapshot.taken;

	if (frozen)
		thaw(state);
	watch_step_rebase(state->watch);
	screen_state_update(state);
	if (frozen)
		freeze(state);

	screen_state_message(state, "growth counts from now on");
}

void screen_state_filter(struct screen_state *state, const char *pattern)
{
	struct pm_error error;
	if (screen_rows_filter(&state->rows, pattern, &error) < 0)
		screen_state_message(state, "%s", error.text);

	screen_state_update(state);
}

void screen_state_search(struct screen_state *state, const char *pattern)
{
	struct pm_error error;
	if (*pattern && screen_rows_search(&state->rows, pattern, &error) < 0)
		screen_state_message(state, "%s", error.text);
}

bool screen_state_selected(struct screen_state *state, struct watch_row *row)
{
	const struct watch_row *selected = screen_rows_selected(&state->rows);

	if (state->rows.grouped) {
		screen_state_message(
			state,
			"this row is a sum; press g until there are regions, and select one");
		return false;
	}
	if (!selected) {
		screen_state_message(state, "no row is selected");
		return false;
	}
	if (state->over) {
		screen_state_message(state, "the memory of the process cannot be read any longer");
		return false;
	}

	*row = *selected;
	if (state->snapshot.taken && row->part_of)
		row->part_of = screen_snapshot_live(&state->snapshot, &state->watch->history,
		                                    selected->part_of);
	else if (state->snapshot.taken)
		row->track = screen_snapshot_live(&state->snapshot, &state->watch->history,
		                                  selected->track);

	return true;
}

void screen_state_deinit(struct screen_state *state)
{
	screen_snapshot_drop(&state->snapshot);
	screen_rows_deinit(&state->rows);
	screen_parts_deinit(&state->parts);
	screen_pane_deinit(&state->pane);
	screen_prompt_deinit(&state->prompt);
	text_deinit(&state->message);
	text_deinit(&state->events);
	text_deinit(&state->searched);
}

void screen_state_show_events(struct screen_state *state)
{
	const struct text *events = &state->events;

	if (events->length == 0)
		screen_state_message(state, "no condition has been met yet (--on)");
	else
		screen_pane_open(&state->pane, SCREEN_EVENTS,
		                 "conditions that were met (e, Esc: back)", events->bytes,
		                 events->length);
}
