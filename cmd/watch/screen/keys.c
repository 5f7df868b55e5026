/* SPDX-License-Identifier: MIT */
/** @file What the keys of the live screen do. */
#include <limits.h>

#include "watch/screen/help.h"
#include "watch/screen/screen.h"

/** The next thing to sort by. */
static void change_sort(struct watch_screen *screen)
{
	struct pm_error error;
	struct watch *shown = screen->still.taken ? &screen->still.watch : screen->watch;
	screen->options->sort = screen->options->sort == WATCH_BY_DELTA
	                                ? WATCH_BY_GROWTH
	                                : (enum watch_sort)(screen->options->sort + 1);
	if (watch_sort_rows(shown, &error) < 0)
		watch_screen_say(screen, "%s", error.text);
	watch_screen_update_rows(screen);
}

static void group(struct watch_screen *screen)
{
	screen->rows.grouped = !screen->rows.grouped;
	screen->rows.selected = NULL;
	watch_screen_update_rows(screen);
}

/** Freezes the picture. What is selected stays so. */
static void freeze(struct watch_screen *screen)
{
	struct pm_error error;
	if (watch_still_take(&screen->still, screen->watch, screen->watch->kinds, &error) < 0) {
		watch_still_drop(&screen->still);
		watch_screen_say(screen, "%s", error.text);
	} else if (screen->rows.selected) {
		screen->rows.selected = watch_still_of(&screen->still, screen->watch->kinds,
		                                       screen->rows.selected);
	}
	watch_screen_update_rows(screen);
}

/** Shows what is so by now. */
static void thaw(struct watch_screen *screen)
{
	struct pm_error error;
	if (screen->rows.selected)
		screen->rows.selected = watch_still_live(&screen->still, screen->watch->kinds,
		                                         screen->rows.selected);
	watch_still_drop(&screen->still);
	/* It may be sorted in another way by now. */
	if (watch_sort_rows(screen->watch, &error) < 0)
		watch_screen_say(screen, "%s", error.text);
	watch_screen_update_rows(screen);
}

static void pause_or_go_on(struct watch_screen *screen)
{
	if (screen->still.taken) {
		thaw(screen);
		return;
	}
	freeze(screen);
	if (screen->still.taken)
		watch_screen_say(
			screen,
			"the picture is frozen; looks, --record and --on go on (p: thaw it)");
}

static void set_baseline(struct watch_screen *screen)
{
	bool frozen = screen->still.taken;
	if (frozen)
		thaw(screen);
	watch_rebase(screen->watch);
	watch_screen_update_rows(screen);
	/* A picture of an earlier moment has no growth since now. */
	if (frozen)
		freeze(screen);
	watch_screen_say(screen, "growth counts from now on");
}

/** The row that a key is about, as it is by now; says so where there is none. */
static bool find_chosen(struct watch_screen *screen, struct watch_row *row)
{
	const struct watch_row *selected = watch_rows_selected(&screen->rows);
	if (screen->rows.grouped) {
		watch_screen_say(screen, "this is the sum of a kind; press g, and select a region");
		return false;
	}
	if (!selected) {
		watch_screen_say(screen, "there is no row");
		return false;
	}
	if (screen->over) {
		watch_screen_say(screen, "its memory cannot be read any more");
		return false;
	}
	*row = *selected;
	if (screen->still.taken)
		row->track = watch_still_live(&screen->still, screen->watch->kinds,
		                              selected->track);
	return true;
}

static void show_strings(struct watch_screen *screen)
{
	struct watch_row row;
	if (!watch_work_is_busy(screen, WATCH_READS_TEXT) && find_chosen(screen, &row))
		watch_work_read_text(screen, &row);
}

static void ask_for_file(struct watch_screen *screen)
{
	struct watch_row row;
	struct text name = { 0 };
	if (watch_work_is_busy(screen, WATCH_WRITES_FILE) || !find_chosen(screen, &row))
		return;
	text_format(&name, "%s.%llx.raw", screen->watch->run.comm,
	            (unsigned long long)row.track->start);
	for (size_t i = 0; i < name.length; i++)
		if (name.bytes[i] == '/')
			name.bytes[i] = '_';
	watch_prompt_ask(&screen->prompt, WATCH_ASKS_FILE,
	                 row.track->regions > 1 ? "write the regions to: "
	                                        : "write the region to: ",
	                 text_terminate(&name));
	text_deinit(&name);
}

static void save(struct watch_screen *screen, const char *path)
{
	struct watch_row row;
	if (find_chosen(screen, &row))
		watch_work_write_file(screen, &row, path);
}

static void search(struct watch_screen *screen, const char *words)
{
	struct pm_error error;
	if (*words && watch_rows_search(&screen->rows, words, &error) < 0)
		watch_screen_say(screen, "%s", error.text);
}

static void filter(struct watch_screen *screen, const char *words)
{
	struct pm_error error;
	if (watch_rows_filter(&screen->rows, words, &error) < 0)
		watch_screen_say(screen, "%s", error.text);
	watch_screen_update_rows(screen);
}

/** Does what was asked for, with the answer. */
static void take_answer(struct watch_screen *screen, enum watch_question question)
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
static bool move(struct watch_screen *screen, uint32_t key)
{
	long page = screen->terminal.rows > 8 ? screen->terminal.rows / 2 : 4;
	switch (key) {
	case TERMINAL_UP:
	case 'k':
		watch_rows_move(&screen->rows, -1);
		return true;
	case TERMINAL_DOWN:
	case 'j':
		watch_rows_move(&screen->rows, 1);
		return true;
	case TERMINAL_PAGE_UP:
		watch_rows_move(&screen->rows, -page);
		return true;
	case TERMINAL_PAGE_DOWN:
		watch_rows_move(&screen->rows, page);
		return true;
	case TERMINAL_HOME:
		watch_rows_move(&screen->rows, -LONG_MAX);
		return true;
	case TERMINAL_END:
		watch_rows_move(&screen->rows, LONG_MAX);
		return true;
	default:
		return false;
	}
}

static void show_help(struct watch_screen *screen)
{
	watch_pane_open(&screen->pane, "keys and columns (Esc: back)");
	text_string(&screen->pane.text, watch_help);
}

static void show_events(struct watch_screen *screen)
{
	if (screen->events.length == 0) {
		watch_screen_say(screen, "no condition was met so far (--on)");
		return;
	}
	watch_pane_open(&screen->pane, "conditions that were met (Esc: back)");
	text_bytes(&screen->pane.text, screen->events.bytes, screen->events.length);
}

/**
 * Changes what is shown of the rows.
 * @return false where the key means something else
 */
static bool change_view(struct watch_screen *screen, uint32_t key)
{
	switch (key) {
	case 's':
		change_sort(screen);
		return true;
	case 'f':
		watch_prompt_ask(&screen->prompt, WATCH_ASKS_FILTER,
		                 "only kinds and mappings that fit: ",
		                 text_terminate(&screen->rows.filter_text));
		return true;
	case '/':
		watch_prompt_ask(&screen->prompt, WATCH_ASKS_SEARCH, "/", "");
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

static void obey(struct watch_screen *screen, uint32_t key)
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
		if (watch_work_cancel(screen))
			break;
		/* fall through */
	default:
		watch_screen_say(screen, "that key does nothing here; ? tells which do");
	}
}

void watch_screen_key(struct watch_screen *screen, uint32_t key)
{
	if (key == TERMINAL_REDRAW)
		return;
	if (screen->prompt.question != WATCH_ASKS_NOTHING) {
		enum watch_question question = screen->prompt.question;
		if (watch_prompt_key(&screen->prompt, key) == WATCH_ANSWERED)
			take_answer(screen, question);
		return;
	}
	if (!screen->over)
		text_clear(&screen->message);
	if (screen->pane.open && watch_pane_key(&screen->pane, key))
		return;
	if (!screen->pane.open && move(screen, key))
		return;
	if (!change_view(screen, key))
		obey(screen, key);
}
