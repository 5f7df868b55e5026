/* SPDX-License-Identifier: MIT */
#include "watch/screen/footer.h"

#include <string.h>

#include "base/utf8.h"

/** Cuts a line between words if it is wider than the screen. */
static void cut_between_words(struct text *line, int columns)
{
	if (utf8_columns(line->bytes, line->length) <= (size_t)columns)
		return;

	/* Move the cut back until the byte after it is a space, so that no word is cut. */
	size_t length = utf8_fit(line->bytes, line->length, (size_t)columns);
	while (length > 0 && line->bytes[length] != ' ')
		length--;

	line->length = length;
}

/** Adds the most important keys, in ASCII. */
static void add_keys(const struct screen_state *state, struct text *text)
{
	const char *back = state->nested ? "Esc, q:back" : "q:quit";

	if (state->menu.open)
		text_string(text, "Enter:choose Esc:back");
	else if (state->pane.open)
		text_string(text, "?:help Esc:back q:back");
	else if (state->rows.count > 0)
		text_format(text,
		            "row %zu of %zu  ?:help %s s:sort f:filter /:search Enter:text "
		            "d:dump t:trace b:base g:group p:pause +:expand",
		            state->rows.index + 1, state->rows.count, back);
	else
		text_format(text, "?:help %s s:sort f:filter b:base g:group p:pause", back);
}

int screen_footer_draw(const struct screen_state *state, struct terminal *terminal)
{
	const struct terminal_look dim = { .style = OUT_DIM }, plain = { 0 };
	int line = terminal->rows - 1;
	struct text text = { 0 };

	if (state->prompt.question != SCREEN_ASKS_NOTHING)
		return screen_prompt_draw(&state->prompt, terminal, line);
	if (state->message.length > 0) {
		terminal_put(terminal, line, 0, terminal->columns, &state->message, plain);
		return -1;
	}

	screen_worker_describe(&state->worker, &text);
	if (text.length > 0) {
		terminal_put(terminal, line, 0, terminal->columns, &text, plain);
	} else {
		add_keys(state, &text);
		cut_between_words(&text, terminal->columns);
		terminal_put(terminal, line, 0, terminal->columns, &text, dim);
	}

	text_deinit(&text);
	return -1;
}

/** Returns the key with a name in the last line. */
static uint32_t key_named(const char *name, size_t length)
{
	if (length == 1)
		return (unsigned char)*name;
	if (length == 5 && memcmp(name, "Enter", length) == 0)
		return TERMINAL_ENTER;
	if (length == 3 && memcmp(name, "Esc", length) == 0)
		return TERMINAL_ESCAPE;
	return TERMINAL_NO_KEY;
}

uint32_t screen_footer_key_of(const struct text *keys, int column)
{
	if (column < 0 || (size_t)column >= keys->length || keys->bytes[column] == ' ')
		return TERMINAL_NO_KEY;

	size_t start = (size_t)column, end = start;
	while (start > 0 && keys->bytes[start - 1] != ' ')
		start--;
	while (end < keys->length && keys->bytes[end] != ' ')
		end++;

	/* The first colon can be the key itself only if it is the first byte. */
	const char *colon = memchr(keys->bytes + start + 1, ':', end - start - 1);
	if (!colon)
		return TERMINAL_NO_KEY;
	return key_named(keys->bytes + start, (size_t)(colon - keys->bytes) - start);
}

uint32_t screen_footer_key(const struct screen_state *state, int column)
{
	struct text text = { 0 };

	if (state->prompt.question != SCREEN_ASKS_NOTHING || state->message.length > 0 ||
	    screen_worker_runs(&state->worker))
		return TERMINAL_NO_KEY;

	add_keys(state, &text);
	uint32_t key = screen_footer_key_of(&text, column);
	text_deinit(&text);
	return key;
}
