/* SPDX-License-Identifier: MIT */
#include "watch/screen/screen.h"

#include "base/delta.h"
#include "base/report.h"
#include "base/utf8.h"
#include "watch/peek/peek.h"
#include "watch/peek/print.h"
#include "watch/screen/header.h"
#include "watch/screen/keys.h"
#include "watch/screen/table.h"
#include "watch/sort.h"

int screen_open(struct screen *screen, struct watch *watch, struct watch_options *options,
                struct poll_loop *wait, bool colour, struct pm_error *error)
{
	*screen = (struct screen){ .watch = watch, .options = options, .wait = wait };
	if (terminal_open(&screen->terminal, colour, error) < 0)
		return -1;

	/* All of them can be scrolled to. */
	watch->all_rows = true;
	if (watch_sort_rows(watch, error) == 0) {
		screen_update(screen);
		return 0;
	}

	screen_close(screen, NULL);
	return -1;
}

void screen_close(struct screen *screen, struct out *out)
{
	struct pm_error error;
	struct text told = { 0 };

	if (!screen->watch)
		return;

	terminal_close(&screen->terminal);
	screen_worker_end(&screen->work, &told);
	if (told.length > 0)
		report_note("%s", text_terminate(&told));
	text_deinit(&told);

	if (out) {
		out_measure(out);
		out_text(out, &screen->events);
	}

	screen->watch->all_rows = false;
	/* The summary has rows as they were wanted; without memory for them it has none. */
	if (watch_sort_rows(screen->watch, &error) < 0)
		screen->watch->row_count = 0;
	screen_snapshot_drop(&screen->still);
	screen_rows_deinit(&screen->rows);
	screen_pane_deinit(&screen->pane);
	screen_prompt_deinit(&screen->prompt);

	text_deinit(&screen->message);
	text_deinit(&screen->events);
	text_deinit(&screen->searched);
	*screen = (struct screen){ 0 };
}

void screen_update_rows(struct screen *screen)
{
	if (screen->still.taken)
		screen_rows_update(&screen->rows, &screen->still.watch, &screen->still.kinds);
	else
		screen_rows_update(&screen->rows, screen->watch, screen->watch->kinds);
}

void screen_update(struct screen *screen)
{
	if (screen->still.taken)
		return;
	screen_update_rows(screen);
	screen_draw(screen);
}

void screen_end(struct screen *screen, const char *why)
{
	screen->over = true;
	screen_message(screen, "%s (q: quit)", why);
	screen_draw(screen);
}

void screen_handle_input(struct screen *screen)
{
	uint32_t key;
	bool any = false;
	while (!screen->left && (key = terminal_key(&screen->terminal)) != TERMINAL_NO_KEY) {
		screen_keys_handle(screen, key);
		any = true;
	}

	if (any && !screen->left)
		screen_draw(screen);
	screen_worker_receive(screen);
}

/** Adds the time of the day, UTC: a date would leave too little of a narrow line. */
static void add_time_of_day(const struct watch *watch, struct text *text)
{
	struct text moment = { 0 };
	delta_put_time(&moment, watch->sample.wall_ns);
	const char *time = strchr(text_terminate(&moment), 'T');
	if (time)
		text_format(text, "%.8sZ  ", time + 1);
	text_deinit(&moment);
}

void screen_event(struct screen *screen, const char *line)
{
	if (*line != ' ')
		add_time_of_day(screen->watch, &screen->events);
	utf8_escape(&screen->events, line, strlen(line));
	text_char(&screen->events, '\n');

	/* What was done about it is indented below. */
	if (*line != ' ')
		screen_message(screen, "e: %s", line);
	screen_draw(screen);
}

void screen_message(struct screen *screen, const char *format, ...)
{
	struct text message = { 0 };
	va_list arguments;
	va_start(arguments, format);
	text_vformat(&message, format, arguments);
	va_end(arguments);
	text_clear(&screen->message);
	utf8_escape(&screen->message, message.bytes, message.length);
	text_deinit(&message);
}

/** Cuts a line between words, where it is wider than the screen. */
static void cut_between_words(struct text *line, int columns)
{
	if (utf8_columns(line->bytes, line->length) <= (size_t)columns)
		return;

	size_t length = utf8_fit(line->bytes, line->length, (size_t)columns);
	/* What stands behind the cut tells whether it is within a word. */
	while (length > 0 && line->bytes[length] != ' ')
		length--;

	line->length = length;
}

/**
 * Draws the last line: a question, a message, or the keys.
 * @return column of the cursor, -1 for none
 */
static int draw_footer(struct screen *screen)
{
	const struct terminal_look dim = { .style = OUT_DIM }, plain = { 0 };
	struct terminal *terminal = &screen->terminal;
	int line = terminal->rows - 1;
	if (screen->prompt.question != WATCH_ASKS_NOTHING)
		return screen_prompt_draw(&screen->prompt, terminal, line);
	if (screen->message.length > 0) {
		terminal_put(terminal, line, 0, terminal->columns, &screen->message, plain);
		return -1;
	}

	struct text keys = { 0 };
	screen_worker_describe(&screen->work, &keys);
	if (keys.length > 0) {
		terminal_put(terminal, line, 0, terminal->columns, &keys, plain);
		text_deinit(&keys);
		return -1;
	}

	text_string(&keys,
	            screen->pane.open
	                    ? "?help Esc:back q:back"
	                    : "?help s:ort f:ilter Enter:text d:ump b:aseline g:roup p:ause q:uit");

	if (!screen->pane.open && screen->rows.count > 0) {
		text_clear(&keys);
		text_format(&keys,
		            "row %zu of %zu  ?:help q:quit s:sort f:filter /:search Enter:text "
		            "d:dump b:base g:group p:pause",
		            screen->rows.index + 1, screen->rows.count);
	}

	cut_between_words(&keys, terminal->columns);
	terminal_put(terminal, line, 0, terminal->columns, &keys, dim);
	text_deinit(&keys);

	return -1;
}

/**
 * Draws what the newest pages of the selected row hold, where that was asked for (--peek).
 * @return lines used
 */
static int draw_peek(struct screen *screen, int line)
{
	const struct terminal_look plain = { 0 };
	const struct watch_row *row = screen_rows_selected(&screen->rows);
	if (screen->options->peek == 0 || screen->rows.grouped || !row)
		return 0;

	struct text text = { 0 };
	if (screen->still.taken)
		screen_snapshot_describe_peek(&screen->still, row, &text);
	else
		peek_print_describe(screen->watch, row, &text);

	terminal_put(&screen->terminal, line, 0, screen->terminal.columns, &text, plain);
	text_deinit(&text);

	return 1;
}

void screen_draw(struct screen *screen)
{
	struct terminal *terminal = &screen->terminal;
	terminal_begin(terminal);

	int first = screen_header(screen), height = terminal->rows - first - 1;
	if (screen->pane.open)
		screen_pane_draw(&screen->pane, terminal, first, height);
	else
		screen_table(screen, first, height - draw_peek(screen, terminal->rows - 2));

	int column = draw_footer(screen);
	terminal_show(terminal, column < 0 ? -1 : terminal->rows - 1, column);
}
