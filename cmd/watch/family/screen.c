/* SPDX-License-Identifier: MIT */
/*
 * The rows are drawn from the run of the family. The regions of a process have a screen of their
 * own (watch/screen), which borrows the terminal until the user goes back.
 */
#include "watch/family/screen.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "watch/family/print.h"
#include "watch/screen/footer.h"
#include "watch/screen/keys.h"
#include "watch/screen/mouse.h"

/** The process whose regions are shown. */
struct family_expanded {
	struct watch_options options;
	struct text word; /* its PID */
	struct target target;
	struct watch watch;
	struct screen screen;
};

static const int usual_widths[FAMILY_COLUMNS] = {
	[FAMILY_PID] = 7,   [FAMILY_NAME] = 15,   [FAMILY_RSS] = 7,      [FAMILY_GROWTH] = 8,
	[FAMILY_RATE] = 11, [FAMILY_VERDICT] = 9, [FAMILY_DETAIL] = 400,
};

/* Sizes in bytes need this many more columns. */
enum { BYTES_WIDER = 7 };

/** Adds a message for the last line. */
static void say(struct family_screen *screen, const char *message)
{
	text_clear(&screen->message);
	utf8_escape(&screen->message, message, strlen(message));
}

static int width_of(const struct family_screen *screen, int column)
{
	bool size = column == FAMILY_RSS || column == FAMILY_GROWTH;

	return usual_widths[column] +
	       (size && screen->run->options->output.bytes ? BYTES_WIDER : 0);
}

/** Draws a row, or the titles if `member` is NULL. */
static void draw_row(struct family_screen *screen, const struct family_member *member, bool chosen,
                     int line)
{
	struct terminal *terminal = &screen->terminal;
	struct terminal_look look = { .chosen = chosen, .bold = !member };
	struct text text = { 0 };
	int at = 0;

	if (chosen)
		terminal_put(terminal, line, 0, terminal->columns, &text, look);

	for (int column = 0; column < FAMILY_COLUMNS && at < terminal->columns; column++) {
		enum family_column which = (enum family_column)column;
		int width = width_of(screen, column);

		if (width > terminal->columns - at)
			width = terminal->columns - at;

		text_clear(&text);
		if (member) {
			look.style = family_rows_style(member, which);
			family_rows_cell(member, which, screen->run->options->output.bytes, &text);
		} else {
			text_string(&text, family_rows_columns[column].title);
		}

		terminal_put_cell(terminal, line, at, width, family_rows_columns[column].right,
		                  &text, look);
		at += width + 1;
	}

	text_deinit(&text);
}

/** Selects the row with the selected process again, after the rows have changed. */
static void find_selected(struct family_screen *screen)
{
	const struct family_rows *rows = &screen->run->rows;

	for (size_t i = 0; i < rows->count && screen->selected != 0; i++) {
		if (rows->items[i]->id == screen->selected) {
			screen->index = i;
			return;
		}
	}

	if (screen->selected == 0 || screen->index >= rows->count)
		screen->index = 0;
	screen->selected = 0;
}

/** Scrolls so that the selected row is visible. */
static void scroll(struct family_screen *screen, size_t height)
{
	if (screen->index < screen->top)
		screen->top = screen->index;
	if (screen->index >= screen->top + height)
		screen->top = screen->index - height + 1;
}

static void draw_rows(struct family_screen *screen, int line)
{
	const struct family_rows *rows = &screen->run->rows;
	int height = screen->terminal.rows - line - 2;

	if (height < 1)
		return;

	find_selected(screen);
	scroll(screen, (size_t)height);
	screen->first_row = line + 1;
	screen->row_lines = height;
	draw_row(screen, NULL, false, line++);
	for (size_t i = screen->top; i < rows->count && i < screen->top + (size_t)height; i++)
		draw_row(screen, rows->items[i], i == screen->index, line++);
}

/** Returns how much of a text fits: all of it, or up to the last clause that begins too far right.
 */
static size_t fit_clauses(const struct text *text, size_t columns)
{
	static const char *const starts[] = { "; ", ", ", "  ", " at the rate" };
	size_t fits = utf8_fit(text->bytes, text->length, columns);

	if (fits == text->length)
		return fits;

	for (size_t at = fits; at > 0; at--)
		for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
			if (text->length - at >= strlen(starts[i]) &&
			    memcmp(text->bytes + at, starts[i], strlen(starts[i])) == 0)
				return at;

	return fits;
}

/** Draws a line of the header, without the last clauses if the screen is too narrow. */
static void draw_line(struct family_screen *screen, int row, struct text *text,
                      struct terminal_look look)
{
	struct terminal *terminal = &screen->terminal;

	text->length = fit_clauses(text, (size_t)terminal->columns);
	terminal_put(terminal, row, 0, terminal->columns, text, look);
	text_clear(text);
}

/**
 * Draws the sum and the limit, on a line each if one line is too narrow for both. Returns the
 * number of lines.
 */
static int draw_sum(struct family_screen *screen, int row)
{
	const struct terminal_look plain = { 0 };
	struct text text = { 0 }, limit = { 0 };
	int lines = 1;

	family_print_sum(screen->run, &text);
	family_print_limit(screen->run, &limit);
	size_t columns = utf8_columns(text.bytes, text.length) + 2 +
	                 utf8_columns(limit.bytes, limit.length);

	if (limit.length > 0 && columns > (size_t)screen->terminal.columns) {
		draw_line(screen, row + 1, &limit, plain);
		lines++;
	} else if (limit.length > 0) {
		text_string(&text, "  ");
		text_bytes(&text, limit.bytes, limit.length);
	}

	draw_line(screen, row, &text, plain);
	text_deinit(&text);
	text_deinit(&limit);
	return lines;
}

/** Draws the lines above the rows. Returns the number of lines. */
static int draw_header(struct family_screen *screen)
{
	const struct terminal_look plain = { 0 }, bold = { .bold = true };
	const struct family_run *run = screen->run;
	struct text text = { 0 };

	family_print_headline(run, &text);
	draw_line(screen, 0, &text, bold);

	family_print_title(run, &text);
	text_string(&text, screen->over ? "  ENDED" : "");
	if (run->members.unreadable > 0)
		text_format(&text, "  %zu cannot be read", run->members.unreadable);
	if (run->members.ended > 0)
		text_format(&text, "  %zu ended", run->members.ended);
	text_format(&text, "  sort: %s  every %gs", watch_view_sort_name(screen->sort),
	            run->options->interval);
	draw_line(screen, 1, &text, plain);

	text_deinit(&text);
	return 2 + draw_sum(screen, 2);
}

/** Adds the most important keys, in ASCII. */
static void add_keys(const struct family_screen *screen, struct text *text)
{
	if (screen->menu.open)
		text_string(text, "Enter:choose Esc:back");
	else if (screen->pane.open)
		text_string(text, "?:help Esc:back q:back");
	else
		text_format(text, "row %zu of %zu  ?:help q:quit Enter:regions s:sort b:base",
		            screen->run->rows.count > 0 ? screen->index + 1 : 0,
		            screen->run->rows.count);
}

static void draw_footer(struct family_screen *screen)
{
	const struct terminal_look plain = { 0 }, dim = { .style = OUT_DIM };
	struct terminal *terminal = &screen->terminal;
	struct text text = { 0 };

	if (screen->message.length > 0) {
		terminal_put(terminal, terminal->rows - 1, 0, terminal->columns, &screen->message,
		             plain);
		return;
	}

	add_keys(screen, &text);
	terminal_put(terminal, terminal->rows - 1, 0, terminal->columns, &text, dim);
	text_deinit(&text);
}

static void draw(struct family_screen *screen)
{
	struct terminal *terminal = &screen->terminal;

	terminal_begin(terminal);
	int line = draw_header(screen);
	screen->row_lines = 0;
	if (screen->menu.open)
		screen_menu_draw(&screen->menu, terminal, line, terminal->rows - line - 1);
	else if (screen->pane.open)
		screen_pane_draw(&screen->pane, terminal, line, terminal->rows - line - 1);
	else
		draw_rows(screen, line);
	draw_footer(screen);
	terminal_show(terminal, -1, 0);
}

/** Starts to watch the regions of a process. */
static int expand_open(struct family_expanded *expanded, struct family_screen *screen,
                       const struct pm_family_member *found, struct pm_error *error)
{
	if (pm_family_open_member(screen->run->family, found, &expanded->target.process, error) < 0)
		return -1;

	text_decimal(&expanded->word, (uint64_t)found->pid);
	expanded->target.word = text_terminate(&expanded->word);
	expanded->options = *screen->run->options;
	expanded->options.live = true;
	if (watch_step_init(&expanded->watch, &expanded->options, &expanded->target, error) < 0)
		return -1;

	if (screen_enter(&expanded->screen, &screen->terminal, &expanded->watch, screen->wait,
	                 error) == 0)
		return 0;

	watch_step_deinit(&expanded->watch);
	return -1;
}

static void expanded_free(struct family_expanded *expanded)
{
	target_close(&expanded->target);
	text_deinit(&expanded->word);
	free(expanded);
}

/** Shows the regions of the selected process. */
static void expand(struct family_screen *screen)
{
	const struct family_run *run = screen->run;
	const struct pm_family_view *view = pm_family_get(run->family);
	const struct pm_family_member *found = NULL;
	struct pm_error error;

	if (run->rows.count == 0) {
		say(screen, "no process is selected");
		return;
	}

	const struct family_member *member = run->rows.items[screen->index];
	for (size_t i = 0; i < view->count && !found; i++)
		if (view->items[i].id == member->id)
			found = &view->items[i];
	if (!found || found->state != PM_FAMILY_ALIVE) {
		say(screen, "the regions of this process cannot be read: it has ended or cannot be "
		            "accessed");
		return;
	}

	struct family_expanded *expanded = alloc_array(NULL, 1, sizeof *expanded);
	*expanded = (struct family_expanded){ 0 };
	if (expand_open(expanded, screen, found, &error) < 0) {
		expanded_free(expanded);
		say(screen, error.text);
		return;
	}

	screen->selected = member->id;
	screen->expanded = expanded;
}

/** Goes back from the regions of a process to the rows. */
static void collapse(struct family_screen *screen)
{
	struct family_expanded *expanded = screen->expanded;

	screen_leave(&expanded->screen, &screen->terminal, &screen->message);
	watch_step_deinit(&expanded->watch);
	expanded_free(expanded);
	screen->expanded = NULL;
}

/** Takes and shows a sample of the process whose regions are shown. */
static void update_expanded(struct family_expanded *expanded)
{
	struct screen *screen = &expanded->screen;
	struct watch_run *run = &expanded->watch.run;

	if (screen->state.over)
		return;
	if (watch_step_next(&expanded->watch))
		screen_update(screen);
	else
		screen_end(screen, run->ended_text.length > 0 ? run->ended : run->failure.text);
}

int family_screen_open(struct family_screen *screen, struct family_run *run, struct poll_loop *wait,
                       bool colour, struct pm_error *error)
{
	*screen = (struct family_screen){ .run = run, .wait = wait, .sort = run->options->sort };
	if (terminal_open(&screen->terminal, colour, error) < 0)
		return -1;

	screen->keys = poll_loop_add(wait, screen->terminal.keys, POLLIN);
	family_screen_update(screen);
	return 0;
}

void family_screen_update(struct family_screen *screen)
{
	family_run_judge(screen->run, screen->sort);
	if (screen->run->news.length > 0) {
		text_clear(&screen->message);
		text_bytes(&screen->message, screen->run->news.bytes, screen->run->news.length);
	}

	if (screen->expanded)
		update_expanded(screen->expanded);
	else
		draw(screen);
}

/** Moves the selection by a number of rows. */
static void move(struct family_screen *screen, long by)
{
	size_t count = screen->run->rows.count;

	if (count == 0)
		return;

	if (by < 0)
		screen->index -= (size_t)-by < screen->index ? (size_t)-by : screen->index;
	else
		screen->index += (size_t)by < count - 1 - screen->index ? (size_t)by
		                                                        : count - 1 - screen->index;
	screen->selected = screen->run->rows.items[screen->index]->id;
}

static void sort_by(struct family_screen *screen, enum watch_sort sort)
{
	screen->sort = sort;
	family_run_judge(screen->run, sort);
}

static void pick_sort(struct family_screen *screen)
{
	static const char *const labels[WATCH_SORTS] = {
		[WATCH_BY_GROWTH] = "growth  since the process was found, or since b",
		[WATCH_BY_RATE] = "rate    growth per second",
		[WATCH_BY_RSS] = "rss     resident and swapped bytes",
		[WATCH_BY_DELTA] = "delta   change in the last sample",
	};

	screen_menu_open(&screen->menu, "sort by (Enter: choose, Esc: back)", labels, WATCH_SORTS,
	                 screen->sort);
}

/**
 * Selects the row that was clicked.
 * @return the key in the last line that was clicked; TERMINAL_NO_KEY if none was
 */
static uint32_t click(struct family_screen *screen)
{
	struct terminal_point mouse = screen->terminal.decoder.mouse;
	const struct family_rows *rows = &screen->run->rows;

	if (mouse.row == screen->terminal.rows - 1 && screen->message.length == 0) {
		struct text keys = { 0 };

		add_keys(screen, &keys);
		uint32_t key = screen_footer_key_of(&keys, mouse.column);
		text_deinit(&keys);
		return key;
	}

	text_clear(&screen->message);
	size_t index = screen->top + (size_t)(mouse.row - screen->first_row);
	if (mouse.row >= screen->first_row && mouse.row < screen->first_row + screen->row_lines &&
	    index < rows->count) {
		screen->index = index;
		screen->selected = rows->items[index]->id;
	}
	return TERMINAL_NO_KEY;
}

/** Performs an action that does not move the selection. */
static void obey(struct family_screen *screen, enum screen_action action)
{
	switch (action) {
	case SCREEN_STRINGS:
		expand(screen);
		return;
	case SCREEN_SORT:
		sort_by(screen, (enum watch_sort)((screen->sort + 1) % WATCH_SORTS));
		return;
	case SCREEN_PICK_SORT:
		pick_sort(screen);
		return;
	case SCREEN_MOUSE:
		say(screen, screen_mouse_toggle(&screen->terminal));
		return;
	case SCREEN_REBASE:
		family_members_rebase(&screen->run->members);
		family_run_judge(screen->run, screen->sort);
		say(screen, "growth counts from now on");
		return;
	case SCREEN_HELP:
		screen_pane_open(&screen->pane, SCREEN_HELP, "keys and columns (?, Esc: back)",
		                 screen_keys_help_family, strlen(screen_keys_help_family));
		return;
	case SCREEN_QUIT:
		screen->left = true;
		return;
	default:
		say(screen, "this key has no function here (?: help)");
	}
}

static void handle_key(struct family_screen *screen, uint32_t key)
{
	if (key == TERMINAL_REDRAW || key == TERMINAL_RELEASE)
		return;

	const struct terminal_point mouse = screen->terminal.decoder.mouse;
	bool in_menu = screen->menu.open && mouse.row < screen->terminal.rows - 1;
	if (key == TERMINAL_CLICK && !in_menu) {
		key = click(screen);
		if (key == TERMINAL_NO_KEY)
			return;
	}

	text_clear(&screen->message);
	if (screen->menu.open) {
		if (screen_menu_key(&screen->menu, key, mouse) == SCREEN_MENU_CHOSEN)
			sort_by(screen, (enum watch_sort)screen->menu.index);
		return;
	}
	if (screen->pane.open && screen_pane_key(&screen->pane, key))
		return;

	long page = screen->terminal.rows > 8 ? screen->terminal.rows / 2 : 4;
	switch (screen_keys_action(key)) {
	case SCREEN_UP:
		move(screen, -1);
		break;
	case SCREEN_DOWN:
		move(screen, 1);
		break;
	case SCREEN_PAGE_UP:
		move(screen, -page);
		break;
	case SCREEN_PAGE_DOWN:
		move(screen, page);
		break;

	case SCREEN_WHEEL_UP:
		move(screen, -SCREEN_PANE_WHEEL_STEP);
		break;
	case SCREEN_WHEEL_DOWN:
		move(screen, SCREEN_PANE_WHEEL_STEP);
		break;
	case SCREEN_FIRST:
		move(screen, -LONG_MAX);
		break;
	case SCREEN_LAST:
		move(screen, LONG_MAX);
		break;
	default:
		obey(screen, screen_keys_action(key));
	}
}

void family_screen_handle_input(struct family_screen *screen)
{
	bool any = false;
	uint32_t key;

	/* If the terminal is closed, its descriptor is always ready but delivers no more keys. */
	if (screen->wait->descriptors[screen->keys].revents & (POLLHUP | POLLERR | POLLNVAL)) {
		screen->left = true;
		return;
	}

	if (screen->expanded) {
		screen_handle_input(&screen->expanded->screen);
		if (!screen->expanded->screen.state.left)
			return;
		collapse(screen);
		any = true;
	}

	while (!screen->left && !screen->expanded &&
	       (key = terminal_key(&screen->terminal)) != TERMINAL_NO_KEY) {
		handle_key(screen, key);
		any = true;
	}

	if (any && !screen->left && !screen->expanded)
		draw(screen);
}

void family_screen_end(struct family_screen *screen, const char *why)
{
	if (screen->over)
		return;

	screen->over = true;
	text_clear(&screen->message);
	text_format(&screen->message, "%s (q: quit)", why);
	if (!screen->expanded)
		draw(screen);
}

bool family_screen_left(const struct family_screen *screen)
{
	return screen->left;
}

void family_screen_close(struct family_screen *screen)
{
	if (screen->expanded)
		collapse(screen);

	terminal_close(&screen->terminal);
	screen_pane_deinit(&screen->pane);
	text_deinit(&screen->message);
	screen->wait->descriptors[screen->keys].fd = -1;
}
