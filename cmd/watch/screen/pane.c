/* SPDX-License-Identifier: MIT */
#include "watch/screen/pane.h"

#include <string.h>

#include "base/minmax.h"

void screen_pane_open(struct screen_pane *pane, enum screen_action opener, const char *title,
                      const char *lines, size_t length)
{
	text_clear(&pane->title);
	text_clear(&pane->text);
	text_string(&pane->title, title);
	text_bytes(&pane->text, lines, length);
	pane->top = 0;
	pane->open = true;
	pane->opener = opener;
}

void screen_pane_deinit(struct screen_pane *pane)
{
	text_deinit(&pane->title);
	text_deinit(&pane->text);
	*pane = (struct screen_pane){ 0 };
}

static size_t count_lines(const struct text *text)
{
	size_t count = 0;
	for (size_t i = 0; i < text->length; i++)
		count += text->bytes[i] == '\n';
	return count;
}

/** Computes the maximum of `top`, at which the last line of the text is visible. */
static size_t last_top(const struct screen_pane *pane)
{
	size_t count = count_lines(&pane->text);
	return count > pane->height ? count - pane->height : 0;
}

bool screen_pane_key(struct screen_pane *pane, uint32_t key)
{
	size_t page = pane->height > 1 ? pane->height - 1 : 1;
	size_t last = last_top(pane);
	enum screen_action action = screen_keys_action(key);

	if (action == SCREEN_QUIT || (action == pane->opener && action != SCREEN_UNKNOWN)) {
		pane->open = false;
		return true;
	}

	switch (key) {
	case TERMINAL_UP:
	case 'k':
		pane->top -= pane->top > 0;
		break;
	case TERMINAL_DOWN:
	case 'j':
		pane->top += pane->top < last;
		break;

	case TERMINAL_WHEEL_UP:
		pane->top -= pm_min_size(SCREEN_PANE_WHEEL_STEP, pane->top);
		break;
	case TERMINAL_WHEEL_DOWN:
		pane->top = pm_min_size(pane->top + SCREEN_PANE_WHEEL_STEP, last);
		break;
	case TERMINAL_PAGE_UP:
		pane->top -= page < pane->top ? page : pane->top;
		break;
	case TERMINAL_PAGE_DOWN:
	case ' ':
		pane->top += page;
		if (pane->top > last)
			pane->top = last;
		break;

	case TERMINAL_HOME:
		pane->top = 0;
		break;
	case TERMINAL_END:
		pane->top = last;
		break;
	case TERMINAL_ESCAPE:
	case TERMINAL_ENTER:
	case TERMINAL_BACKSPACE:
		pane->open = false;
		break;
	default:
		return false;
	}
	return true;
}

void screen_pane_draw(struct screen_pane *pane, struct terminal *terminal, int line, int height)
{
	const struct terminal_look title = { .bold = true }, plain = { 0 };
	size_t number = 0;

	pane->height = height > 1 ? (size_t)height - 1 : 0;
	if (pane->top > last_top(pane))
		pane->top = last_top(pane);
	terminal_put(terminal, line, 0, terminal->columns, &pane->title, title);

	for (size_t at = 0; at < pane->text.length && number < pane->top + pane->height; number++) {
		const char *end = memchr(pane->text.bytes + at, '\n', pane->text.length - at);
		size_t length = pane->text.length - at;
		if (end)
			length = (size_t)(end - pane->text.bytes) - at;

		/* The piece borrows its bytes from the text of the pane. Therefore the piece must
		 * not be changed or released. */
		const struct text piece = { .bytes = pane->text.bytes + at, .length = length };
		if (number >= pane->top)
			terminal_put(terminal, line + 1 + (int)(number - pane->top), 0,
			             terminal->columns, &piece, plain);
		at += length + 1;
	}
}
