/* SPDX-License-Identifier: MIT */
/** @file What the keys of the live screen do. */
#include "watch/screen/keys.h"

#include <limits.h>

#include "watch/screen/help.h"
#include "watch/screen/screen.h"
#include "watch/sort.h"
#include "watch/step.h"

/** The next thing to sort by. */
static void change_sort(struct screen *screen)
{
	struct pm_error error;
	struct watch *shown = screen->still.taken ? &screen->still.watch : screen->watch;
	screen->options->sort = screen->options->sort == WATCH_BY_DELTA
	                                ? WATCH_BY_GROWTH
	                                : (enum watch_sort)(screen->options->sort + 1);
	if (watch_sort_rows(shown, &error) < 0)
		screen_message(screen, "%s", error.text);
	screen_update_rows(screen);
}

static void group(struct screen *screen)
{
	screen->rows.grouped = !screen->rows.grouped;
	screen->rows.selected = NULL;
	screen_update_rows(screen);
}

/** Freezes the picture. What is selected stays so. */
static void freeze(struct screen *screen)
{
	struct pm_error error;
	if (screen_snapshot_take(&screen->still, screen->watch, screen->watch->kinds, &error) < 0) {
		screen_snapshot_drop(&screen->still);
		screen_message(screen, "%s", error.text);
	} else if (screen->rows.selected) {
		screen->rows.selected = screen_snapshot_of(&screen->still, screen->watch->kinds,
		                                           screen->rows.selected);
	}

	screen_update_rows(screen);
}

/** Shows what is so by now. */
static void thaw(struct screen *screen)
{
	struct pm_error error;
	if (screen->rows.selected)
		screen->rows.selected = screen_snapshot_live(&screen->still, screen->watch->kinds,
		                                             screen->rows.selected);
	screen_snapshot_drop(&screen->still);

	/* It may be sorted in another way by now. */
	if (watch_sort_rows(screen->watch, &error) < 0)
		screen_message(screen, "%s", error.text);
	screen_update_rows(screen);
}

static void pause_or_go_on(struct screen *screen)
{
	if (screen->still.taken) {
		thaw(screen);
		return;
	}

	freeze(screen);
	if (screen->still.taken)
		screen_message(
			screen,
			"the picture is frozen; looks, --record and --on go on (p: thaw it)");
}

static void set_baseline(struct screen *screen)
{
	bool frozen = screen->still.taken;
	if (frozen)
		thaw(screen);
	watch_rebase(screen->watch);
	screen_update_rows(screen);

	/* A picture of an earlier moment has no growth since now. */
	if (frozen)
		freeze(screen);
	screen_message(screen, "growth counts from now on");
}

/** The row that a key is about, as it is by now; says so where there is none. */
static bool find_chosen(struct screen *screen, struct watch_row *row)
{
	const struct watch_row *selected = screen_rows_selected(&screen->rows);

	if (screen->rows.grouped) {
		screen_message(screen, "this is the sum of a kind; press g, and select a region");
		return false;
	}
	if (!selected) {
		screen_message(screen, "there is no row");
		return false;
	}
	if (screen->over) {
		screen_message(screen, "its memory cannot be read any more");
		return false;
	}

	*row = *selected;
	if (screen->still.taken)
		row->track = screen_snapshot_live(&screen->still, screen->watch->kinds,
		                                  selected->track);

	return true;
}

static void show_strings(struct screen *screen)
{
	struct watch_row row;
	if (!screen_worker_is_busy(screen, WATCH_READS_TEXT) && find_chosen(screen, &row))
		screen_worker_read_text(screen, &row);
}

static void ask_for_file(struct screen *screen)
{
	struct watch_row row;
	struct text name = { 0 };

	if (screen_worker_is_busy(screen, WATCH_WRITES_FILE) || !find_chosen(screen, &row))
		return;

	text_format(&name, "%s.%llx.raw", screen->watch->run.comm,
	            (unsigned long long)row.track->start);
	for (size_t i = 0; i < name.length; i++)
		if (name.bytes[i] == '/')
			name.bytes[i] = '_';

	screen_prompt_ask(&screen->prompt, WATCH_ASKS_FILE,
	                  row.track->regions > 1 ? "write the regions to: "
	                                         : "write the region to: ",
	                  text_terminate(&name));
	text_deinit(&name);
}

static void save(struct screen *screen, const char *path)
{
	struct watch_row row;
	if (find_chosen(screen, &row))
		screen_worker_write_file(screen, &row, path);
}

static void search(struct screen *screen, const char *words)
{
	struct pm_error error;
	if (*words && screen_rows_search(&screen->rows, words, &error) < 0)
		screen_message(screen, "%s", error.text);
}

static void filter(struct screen *screen, const char *words)
{
	struct pm_error error;
	if (screen_rows_filter(&screen->rows, words, &error) < 0)
		screen_message(screen, "%s", error.text);
	screen_update_rows(screen);
}

/** Does what was asked for, with the answer. */
static void take_answer(struct screen *screen, enum watch_question question)
{
	const char *answer = text_terminate(&screen->prompt.answer);
	switch (question) {
	case WATCH_ASKS_FILTER:
		filter(screen, answer);
		break;
	case WATCH_ASKS_SEARCH:
		text_clear(&screen->searched);
		text_string(&screen->searched, answer);
		search(screen, answer);
		break;
	default:
		save(screen, answer);
	}
}

/**
 * Moves the selection.
 * @return false where the key means something else
 */
static bool move(struct screen *screen, uint32_t key)
{
	long page = screen->terminal.rows > 8 ? screen->terminal.rows / 2 : 4;

	switch (key) {
	case TERMINAL_UP:
	case 'k':
		screen_rows_move(&screen->rows, -1);
		return true;
	case TERMINAL_DOWN:
	case 'j':
		screen_rows_move(&screen->rows, 1);
		return true;
	case TERMINAL_PAGE_UP:
		screen_rows_move(&screen->rows, -page);
		return true;
	case TERMINAL_PAGE_DOWN:
		screen_rows_move(&screen->rows, page);
		return true;
	case TERMINAL_HOME:
		screen_rows_move(&screen->rows, -LONG_MAX);
		return true;
	case TERMINAL_END:
		screen_rows_move(&screen->rows, LONG_MAX);
		return true;
	default:
		return false;
	}
}

static void show_help(struct screen *screen)
{
	screen_pane_open(&screen->pane, "keys and columns (Esc: back)");
	text_string(&screen->pane.text, screen_help);
}

static void show_events(struct screen *screen)
{
	if (screen->events.length == 0) {
		screen_message(screen, "no condition was met so far (--on)");
		return;
	}
	screen_pane_open(&screen->pane, "conditions that were met (Esc: back)");
	text_bytes(&screen->pane.text, screen->events.bytes, screen->events.length);
}

/**
 * Changes what is shown of the rows.
 * @return false where the key means something else
 */
static bool change_view(struct screen *screen, uint32_t key)
{
	switch (key) {
	case 's':
		change_sort(screen);
		return true;
	case 'f':
		screen_prompt_ask(&screen->prompt, WATCH_ASKS_FILTER,
		                  "only kinds and mappings that fit: ",
		                  text_terminate(&screen->rows.filter_text));
		return true;
	case '/':
		screen_prompt_ask(&screen->prompt, WATCH_ASKS_SEARCH, "/", "");
		return true;
	case 'n':
		search(screen, text_terminate(&screen->searched));
		return true;
	case 'p':
	case ' ':
		pause_or_go_on(screen);
		return true;
	case 'b':
		set_baseline(screen);
		return true;
	case 'g':
		group(screen);
		return true;
	default:
		return false;
	}
}

static void obey(struct screen *screen, uint32_t key)
{
	switch (key) {
	case TERMINAL_ENTER:
		show_strings(screen);
		break;
	case 'd':
		ask_for_file(screen);
		break;
	case 'e':
		show_events(screen);
		break;
	case '?':
	case 'h':
		show_help(screen);
		break;
	case 'q':
		screen->left = true;
		break;
	case TERMINAL_ESCAPE:
		if (screen_worker_cancel(screen))
			break;
		/* fall through */
	default:
		screen_message(screen, "that key does nothing here; ? tells which do");
	}
}

void screen_keys_handle(struct screen *screen, uint32_t key)
{
	if (key == TERMINAL_REDRAW)
		return;

	if (screen->prompt.question != WATCH_ASKS_NOTHING) {
		enum watch_question question = screen->prompt.question;
		if (screen_prompt_key(&screen->prompt, key) == WATCH_ANSWERED)
			take_answer(screen, question);
		return;
	}

	if (!screen->over)
		text_clear(&screen->message);
	if (screen->pane.open && screen_pane_key(&screen->pane, key))
		return;
	if (!screen->pane.open && move(screen, key))
		return;

	if (!change_view(screen, key))
		obey(screen, key);
}
