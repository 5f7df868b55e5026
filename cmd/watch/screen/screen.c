/* SPDX-License-Identifier: MIT */
#include "watch/screen/screen.h"

#include <limits.h>
#include <string.h>

#include "base/delta.h"
#include "base/report.h"
#include "base/utf8.h"
#include "watch/heap_print.h"
#include "watch/peek/peek.h"
#include "watch/peek/print.h"
#include "watch/screen/findings.h"
#include "watch/screen/footer.h"
#include "watch/screen/header.h"
#include "watch/screen/keys.h"
#include "watch/screen/mouse.h"
#include "watch/screen/table.h"

/* Maximum number of classes of chunks that are shown below the rows. */
enum { HEAP_LINES_MAX = 4 };

/** Adds the strings in the newest pages of a row. */
static void add_peek(const struct screen_state *state, const struct watch_row *row,
                     struct text *text)
{
	if (state->snapshot.taken) {
		screen_snapshot_describe_peek(&state->snapshot, row, text);
		return;
	}

	const struct peek_result *found = peek_found(state->watch->run.peek, row);
	if (found)
		peek_print_describe(found, row, text);
}

/**
 * Draws the strings in the newest pages of the selected row (--peek).
 * @return number of lines used
 */
static int draw_peek(const struct screen_state *state, struct terminal *terminal, int line)
{
	const struct terminal_look plain = { 0 };
	const struct watch_row *row = screen_rows_selected(&state->rows);
	struct text text = { 0 };

	if (state->watch->run.options->peek == 0 || state->rows.grouped || !row)
		return 0;

	add_peek(state, row, &text);
	terminal_put(terminal, line, 0, terminal->columns, &text, plain);
	text_deinit(&text);
	return 1;
}

/**
 * Draws the number of walks over the heap, if there were too few to show classes.
 * @return number of lines used
 */
static int draw_heap_wait(const struct watch_heap *heap, struct terminal *terminal, int end)
{
	const struct terminal_look dim = { .style = OUT_DIM };
	struct text line = { 0 };
	int used = 0;

	if (watch_heap_print_wait(heap, &line)) {
		used = 1;
		terminal_put(terminal, end - used, 0, terminal->columns, &line, dim);
	}

	text_deinit(&line);
	return used;
}

/**
 * Draws the classes of chunks that grow (--heap), where they leave room for the rows of regions. A
 * paused screen does not show them.
 * @param end     the line below the last one that can be used
 * @param height  number of lines of the rows of regions
 * @return        number of lines used
 */
static int draw_heap(const struct screen_state *state, struct terminal *terminal, int end,
                     int height)
{
	const struct terminal_look plain = { 0 }, dim = { .style = OUT_DIM };
	const struct watch_heap *heap = state->watch->run.heap;
	struct text lines[HEAP_LINES_MAX] = { 0 };
	int count = 0, used = 0;

	if (!heap || state->snapshot.taken || height < HEAP_LINES_MAX * 2 + 1)
		return 0;

	used = draw_heap_wait(heap, terminal, end);
	if (used > 0)
		return used;

	while (count < HEAP_LINES_MAX && watch_heap_print_line(heap, (size_t)count, &lines[count]))
		count++;

	if (count > 0) {
		struct text title = { 0 };
		text_string(&title, "chunks of malloc that are new and still there");
		text_string(&title, watch_heap_walks(heap).running ? " (a walk is running):" : ":");
		used = count + 1;
		terminal_put(terminal, end - used, 0, terminal->columns, &title, dim);
		text_deinit(&title);
	}

	for (int i = 0; i < count; i++) {
		terminal_put(terminal, end - count + i, 0, terminal->columns, &lines[i], plain);
		text_deinit(&lines[i]);
	}
	return used;
}

static void draw(struct screen *screen)
{
	struct terminal *terminal = &screen->terminal;
	struct screen_state *state = &screen->state;
	terminal_begin(terminal);

	int first = screen_header_draw(state, terminal), height = terminal->rows - first - 1;
	state->place = (struct screen_table_place){ 0 };
	if (state->menu.open) {
		screen_menu_draw(&state->menu, terminal, first, height);
	} else if (state->pane.open) {
		screen_pane_draw(&state->pane, terminal, first, height);
	} else {
		const struct screen_table table = { .rows = &state->rows,
			                            .history = screen_state_history(state),
			                            .bytes = state->watch->view.bytes,
			                            .sort = state->watch->view.sort,
			                            .place = &state->place };
		int peeked = draw_peek(state, terminal, terminal->rows - 2);
		height -= peeked;
		height -= draw_heap(state, terminal, terminal->rows - 1 - peeked, height);
		screen_table_draw(&table, terminal, first, height);
	}

	int column = screen_footer_draw(state, terminal);
	terminal_show(terminal, column < 0 ? -1 : terminal->rows - 1, column);
}

/** Draws the first sample on an open terminal. */
static int start(struct screen *screen, const struct terminal *terminal, struct watch *watch,
                 struct poll_loop *wait, struct pm_error *error)
{
	/* Make all rows, not only the first rows up to --top, because the user can scroll. */
	watch->view.all_rows = true;
	if (watch_view_update(&watch->view, &watch->history, error) < 0)
		return -1;

	screen->terminal = *terminal;
	screen_state_begin(&screen->state, watch);
	screen->state.worker.wait = wait;
	screen_update(screen);
	return 0;
}

int screen_open(struct screen *screen, struct watch *watch, struct poll_loop *wait, bool colour,
                struct pm_error *error)
{
	struct terminal terminal;

	*screen = (struct screen){ 0 };
	if (terminal_open(&terminal, colour, error) < 0)
		return -1;
	if (start(screen, &terminal, watch, wait, error) == 0)
		return 0;

	terminal_close(&terminal);
	return -1;
}

int screen_enter(struct screen *screen, const struct terminal *terminal, struct watch *watch,
                 struct poll_loop *wait, struct pm_error *error)
{
	*screen = (struct screen){ .state.nested = true };
	return start(screen, terminal, watch, wait, error);
}

void screen_leave(struct screen *screen, struct terminal *terminal, struct text *outcome)
{
	screen_worker_end(&screen->state.worker, outcome);
	screen_state_deinit(&screen->state);

	*terminal = screen->terminal;
	*screen = (struct screen){ 0 };
}

void screen_close(struct screen *screen, struct out *out)
{
	struct screen_state *state = &screen->state;
	struct watch *watch = state->watch;
	struct pm_error error;
	struct text outcome = { 0 };

	if (!watch)
		return;

	terminal_close(&screen->terminal);
	screen_worker_end(&state->worker, &outcome);
	if (outcome.length > 0)
		report_note("%s", text_terminate(&outcome));
	text_deinit(&outcome);

	if (out) {
		out_measure(out);
		out_text(out, &state->events);
	}

	/* The summary has at most --top rows, or none if there is not enough memory. */
	watch->view.all_rows = false;
	if (watch_view_update(&watch->view, &watch->history, &error) < 0)
		watch->view.row_count = 0;

	screen_state_deinit(state);
	*screen = (struct screen){ 0 };
}

void screen_update(struct screen *screen)
{
	if (screen->state.snapshot.taken)
		return;

	screen_state_update(&screen->state);
	draw(screen);
}

void screen_end(struct screen *screen, const char *why)
{
	screen->state.over = true;
	/* Taking the last sample may have failed after it changed the rows of the view. The screen
	 * must not use the old rows. */
	screen_state_update(&screen->state);
	screen_state_message(&screen->state, "%s (q: quit)", why);
	draw(screen);
}

/** Adds the time of day in UTC. There is not enough room for the date. */
static void add_time_of_day(int64_t wall_ns, struct text *text)
{
	struct text moment = { 0 };

	delta_put_time(&moment, wall_ns);
	const char *time = strchr(text_terminate(&moment), 'T');
	if (time)
		text_format(text, "%.8sZ  ", time + 1);
	text_deinit(&moment);
}

void screen_event(struct screen *screen, const char *line)
{
	struct screen_state *state = &screen->state;
	bool indented = *line == ' ';

	if (!indented)
		add_time_of_day(state->watch->history.sample.wall_ns, &state->events);
	utf8_escape(&state->events, line, strlen(line));
	text_char(&state->events, '\n');

	if (!indented)
		screen_state_message(state, "e: %s", line);
	draw(screen);
}

/**
 * Checks whether a running background task prevents an action. If the action would start a task of
 * the same kind, the running task is cancelled. Otherwise a message names the running task.
 * @param wanted kind of the task that the action would start
 */
static bool is_busy(struct screen_state *state, enum screen_worker_kind wanted)
{
	struct screen_worker *worker = &state->worker;

	if (!screen_worker_runs(worker))
		return false;

	if (worker->kind == wanted)
		screen_worker_cancel(worker);
	else if (worker->kind == SCREEN_WRITES_FILE)
		screen_state_message(state, "the file is still being written (Esc: cancel)");
	else if (worker->kind == SCREEN_TRACES)
		screen_state_message(state, "the process is still being traced (Esc: cancel)");
	else
		screen_state_message(state, "text is still being read (Esc: cancel)");

	return true;
}

static void read_strings(struct screen_state *state)
{
	struct watch_row row;
	struct pm_error error = { 0 };

	if (is_busy(state, SCREEN_READS_TEXT) || !screen_state_selected(state, &row))
		return;
	if (screen_worker_read_text(&state->worker, state->watch, &row, &error) < 0)
		screen_state_message(state, "%s", error.text);
}

static void trace(struct screen_state *state)
{
	struct watch_row row;
	struct pm_error error = { 0 };

	if (is_busy(state, SCREEN_TRACES) || !screen_state_selected(state, &row))
		return;
	if (screen_worker_trace(&state->worker, state->watch, &row, &error) < 0)
		screen_state_message(state, "%s", error.text);
}

static void ask_for_file(struct screen_state *state)
{
	const char *label = "write the region to: ";
	struct watch_row row;
	struct text name = { 0 };

	if (is_busy(state, SCREEN_WRITES_FILE) || !screen_state_selected(state, &row))
		return;
	if (row.track->regions > 1)
		label = "write the regions to: ";

	text_format(&name, "%s.%llx.raw", state->watch->run.process.comm,
	            (unsigned long long)row.track->start);
	for (size_t i = 0; i < name.length; i++)
		if (name.bytes[i] == '/')
			name.bytes[i] = '_';

	screen_prompt_ask(&state->prompt, SCREEN_ASKS_FILE, label, text_terminate(&name));
	text_deinit(&name);
}

static void write_file(struct screen_state *state, const char *path)
{
	struct watch_row row;
	struct pm_error error = { 0 };

	if (!screen_state_selected(state, &row))
		return;

	text_clear(&state->message);
	if (screen_worker_write_file(&state->worker, state->watch, &row, path, &error) < 0)
		screen_state_message(state, "%s", error.text);
}

/** Opens a pane with the text that a task has read: a title and lines. */
static void show_text(struct screen_state *state, const struct text *result)
{
	const char *end = memchr(result->bytes, '\n', result->length);
	size_t length = end ? (size_t)(end - result->bytes) : result->length;
	struct text title = { 0 };

	text_bytes(&title, result->bytes, length);
	if (end)
		length++;
	screen_pane_open(&state->pane, SCREEN_UNKNOWN, text_terminate(&title),
	                 result->bytes + length, result->length - length);
	text_deinit(&title);
}

/** Performs the action for which a question was asked, with the answer. */
static void obey_answer(struct screen_state *state, enum screen_question question)
{
	const char *answer = text_terminate(&state->prompt.answer);

	switch (question) {
	case SCREEN_ASKS_FILTER:
		screen_state_filter(state, answer);
		break;
	case SCREEN_ASKS_SEARCH:
		text_clear(&state->searched);
		text_string(&state->searched, answer);
		screen_state_search(state, answer);
		break;
	default:
		write_file(state, answer);
	}
}

/**
 * Finds the number of rows by which an action moves the selection.
 * @param page number of rows of a page
 * @return the number, negative for up; 0: the action does not move the selection
 */
static long rows_to_move(enum screen_action action, long page)
{
	switch (action) {
	case SCREEN_UP:
		return -1;
	case SCREEN_DOWN:
		return 1;

	case SCREEN_PAGE_UP:
		return -page;
	case SCREEN_PAGE_DOWN:
		return page;
	case SCREEN_WHEEL_UP:
		return -SCREEN_PANE_WHEEL_STEP;
	case SCREEN_WHEEL_DOWN:
		return SCREEN_PANE_WHEEL_STEP;
	case SCREEN_FIRST:
		return -LONG_MAX;
	case SCREEN_LAST:
		return LONG_MAX;
	default:
		return 0;
	}
}

/**
 * Performs an action that changes which rows are displayed.
 * @return false if the action does not change which rows are displayed; then nothing was done
 */
static bool obey_view(struct screen_state *state, enum screen_action action)
{
	switch (action) {
	case SCREEN_SORT:
		screen_state_sort(state);
		return true;
	case SCREEN_PICK_SORT:
		screen_state_pick_sort(state);
		return true;
	case SCREEN_GROUP:
		screen_state_group(state);
		return true;
	case SCREEN_EXPAND:
	case SCREEN_COLLAPSE:
	case SCREEN_TOGGLE:
		screen_state_expand(state, action);
		return true;
	case SCREEN_PAUSE:
		screen_state_pause(state);
		return true;
	case SCREEN_REBASE:
		screen_state_rebase(state);
		return true;

	case SCREEN_FILTER:
		screen_prompt_ask(&state->prompt, SCREEN_ASKS_FILTER,
		                  "only kinds and mappings that match: ",
		                  text_terminate(&state->rows.filter_text));
		return true;
	case SCREEN_SEARCH:
		screen_prompt_ask(&state->prompt, SCREEN_ASKS_SEARCH, "/", "");
		return true;
	case SCREEN_SEARCH_AGAIN:
		screen_state_search(state, text_terminate(&state->searched));
		return true;
	default:
		return false;
	}
}

static void obey(struct screen_state *state, enum screen_action action, int columns)
{
	switch (action) {
	case SCREEN_STRINGS:
		read_strings(state);
		return;
	case SCREEN_SAVE:
		ask_for_file(state);
		return;
	case SCREEN_TRACE:
		trace(state);
		return;
	case SCREEN_EVENTS:
		screen_state_show_events(state);
		return;
	case SCREEN_WHY:
		screen_findings_show(state, columns);
		return;
	case SCREEN_HELP:
		screen_pane_open(&state->pane, SCREEN_HELP, "keys and columns (?, Esc: back)",
		                 screen_keys_help, strlen(screen_keys_help));
		return;
	case SCREEN_QUIT:
		state->left = true;
		return;

	case SCREEN_CANCEL:
		if (!screen_worker_runs(&state->worker) && !state->nested)
			break;
		state->left = !screen_worker_runs(&state->worker);
		screen_worker_cancel(&state->worker);
		return;
	default:
		break;
	}

	screen_state_message(state, "this key has no function (?: help)");
}

/** Processes a key while the menu is open. */
static void handle_menu_key(struct screen *screen, uint32_t key)
{
	struct screen_state *state = &screen->state;

	if (screen_menu_key(&state->menu, key, screen->terminal.decoder.mouse) ==
	    SCREEN_MENU_CHOSEN)
		screen_state_sort_by(state, (enum watch_sort)state->menu.index);
}

static void handle_key(struct screen *screen, uint32_t key)
{
	struct screen_state *state = &screen->state;
	enum screen_question question = state->prompt.question;
	int lines = screen->terminal.rows;

	if (key == TERMINAL_REDRAW || key == TERMINAL_RELEASE)
		return;
	if (question != SCREEN_ASKS_NOTHING) {
		if (screen_prompt_key(&state->prompt, key) == SCREEN_ANSWERED)
			obey_answer(state, question);
		return;
	}

	bool menu_click = state->menu.open && screen->terminal.decoder.mouse.row < lines - 1;
	if (key == TERMINAL_CLICK && !menu_click) {
		key = screen_mouse_click(state, screen->terminal.decoder.mouse, lines);
		if (key == TERMINAL_NO_KEY)
			return;
	}

	if (!state->over)
		text_clear(&state->message);
	if (state->menu.open) {
		handle_menu_key(screen, key);
		return;
	}
	if (state->pane.open && screen_pane_key(&state->pane, key))
		return;

	enum screen_action action = screen_keys_action(key);
	long by = rows_to_move(action, lines > 8 ? lines / 2 : 4);
	if (action == SCREEN_MOUSE)
		screen_state_message(state, "%s", screen_mouse_toggle(&screen->terminal));
	else if (by != 0)
		screen_rows_move(&state->rows, by);
	else if (!obey_view(state, action))
		obey(state, action, screen->terminal.columns);
}

/** Shows the progress or the result of the background task. */
static void poll_worker(struct screen *screen)
{
	struct screen_state *state = &screen->state;
	struct text result = { 0 };
	enum screen_worker_event event = screen_worker_poll(&state->worker, &result);

	if (event == SCREEN_WORKER_TEXT)
		show_text(state, &result);
	else if (event == SCREEN_WORKER_MESSAGE)
		screen_state_message(state, "%s", text_terminate(&result));

	text_deinit(&result);
	if (event != SCREEN_WORKER_NOTHING)
		draw(screen);
}

void screen_handle_input(struct screen *screen)
{
	uint32_t key;
	bool any = false;

	while (!screen->state.left && (key = terminal_key(&screen->terminal)) != TERMINAL_NO_KEY) {
		handle_key(screen, key);
		any = true;
	}

	if (any && !screen->state.left)
		draw(screen);
	poll_worker(screen);
}
