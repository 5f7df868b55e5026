/* SPDX-License-Identifier: MIT */
#include "watch/screen/prompt.h"

#include "base/utf8.h"

enum { ERASE_LINE = 'U' - '@', FIRST_CHARACTER = ' ', LAST_CHARACTER = 0x10ffff };

void screen_prompt_ask(struct screen_prompt *prompt, enum screen_question question,
                       const char *label, const char *answer)
{
	prompt->question = question;
	text_clear(&prompt->label);
	text_clear(&prompt->answer);
	text_string(&prompt->label, label);
	text_string(&prompt->answer, answer);
}

static void add_character(struct text *text, uint32_t code)
{
	char bytes[4];
	text_bytes(text, bytes, utf8_encode(code, bytes));
}

static void drop_character(struct text *text)
{
	while (text->length > 0 && (text->bytes[text->length - 1] & 0xc0) == 0x80)
		text->length--;
	text->length -= text->length > 0;
}

enum screen_typed screen_prompt_key(struct screen_prompt *prompt, uint32_t key)
{
	switch (key) {
	case TERMINAL_ENTER:
		prompt->question = SCREEN_ASKS_NOTHING;
		return SCREEN_ANSWERED;
	case TERMINAL_ESCAPE:
		prompt->question = SCREEN_ASKS_NOTHING;
		return SCREEN_GAVE_UP;
	case TERMINAL_BACKSPACE:
		drop_character(&prompt->answer);
		break;
	case ERASE_LINE:
		text_clear(&prompt->answer);
		break;
	default:
		if (key >= FIRST_CHARACTER && key <= LAST_CHARACTER)
			add_character(&prompt->answer, key);
	}

	return SCREEN_TYPES;
}

int screen_prompt_draw(const struct screen_prompt *prompt, struct terminal *terminal, int line)
{
	const struct terminal_look bold = { .bold = true }, plain = { 0 };
	struct text shown = { 0 };
	utf8_escape(&shown, prompt->answer.bytes, prompt->answer.length);

	int label = (int)utf8_columns(prompt->label.bytes, prompt->label.length);
	int room = terminal->columns - label - 1;

	/* If there is not enough room, only the end is visible, where the user types. */
	size_t skip = 0, columns = utf8_columns(shown.bytes, shown.length);
	while (room > 0 && columns > (size_t)room) {
		do
			skip++;
		while (skip < shown.length && (shown.bytes[skip] & 0xc0) == 0x80);
		columns = utf8_columns(shown.bytes + skip, shown.length - skip);
	}

	struct text rest = { .length = shown.length - skip };
	if (shown.bytes)
		rest.bytes = shown.bytes + skip;

	terminal_put(terminal, line, 0, terminal->columns, &prompt->label, bold);
	terminal_put(terminal, line, label, room, &rest, plain);
	text_deinit(&shown);

	return label + (int)columns;
}

void screen_prompt_deinit(struct screen_prompt *prompt)
{
	text_deinit(&prompt->label);
	text_deinit(&prompt->answer);
	*prompt = (struct screen_prompt){ 0 };
}
