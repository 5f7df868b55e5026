/* SPDX-License-Identifier: MIT */
#include "watch/screen/menu.h"

#include "base/minmax.h"
#include "watch/screen/keys.h"

void screen_menu_open(struct screen_menu *menu, const char *title, const char *const *labels,
                      size_t count, size_t index)
{
	*menu = (struct screen_menu){
		.open = true, .title = title, .labels = labels, .count = count, .index = index
	};
}

/** Chooses what is at a line of the screen. */
static enum screen_menu_effect click(struct screen_menu *menu, int line)
{
	size_t at = (size_t)(line - menu->line);

	menu->open = false;
	if (line < menu->line || at >= menu->height || menu->top + at >= menu->count)
		return SCREEN_MENU_CLOSED;

	menu->index = menu->top + at;
	return SCREEN_MENU_CHOSEN;
}

enum screen_menu_effect screen_menu_key(struct screen_menu *menu, uint32_t key,
                                        struct terminal_point mouse)
{
	if (key == TERMINAL_CLICK)
		return click(menu, mouse.row);

	switch (screen_keys_action(key)) {
	case SCREEN_UP:
	case SCREEN_WHEEL_UP:
		menu->index -= menu->index > 0;
		break;
	case SCREEN_DOWN:
	case SCREEN_WHEEL_DOWN:
		menu->index += menu->index + 1 < menu->count;
		break;
	case SCREEN_FIRST:
	case SCREEN_PAGE_UP:
		menu->index = 0;
		break;
	case SCREEN_LAST:
	case SCREEN_PAGE_DOWN:
		menu->index = menu->count - 1;
		break;

	case SCREEN_STRINGS:
		menu->open = false;
		return SCREEN_MENU_CHOSEN;
	case SCREEN_CANCEL:
	case SCREEN_QUIT:
	case SCREEN_PICK_SORT:
		menu->open = false;
		return SCREEN_MENU_CLOSED;
	default:
		break;
	}

	return SCREEN_MENU_STAYS;
}

void screen_menu_draw(struct screen_menu *menu, struct terminal *terminal, int line, int height)
{
	const struct terminal_look bold = { .bold = true };
	struct text text = { 0 };

	text_string(&text, menu->title);
	terminal_put(terminal, line, 0, terminal->columns, &text, bold);

	menu->line = line + 1;
	menu->height = height > 1 ? (size_t)height - 1 : 0;
	if (menu->index < menu->top)
		menu->top = menu->index;
	if (menu->height > 0 && menu->index >= menu->top + menu->height)
		menu->top = menu->index - menu->height + 1;

	size_t end = pm_min_size(menu->count, menu->top + menu->height);
	for (size_t i = menu->top; i < end; i++) {
		const struct terminal_look look = { .chosen = i == menu->index };

		text_clear(&text);
		text_format(&text, "  %s", menu->labels[i]);
		terminal_put(terminal, menu->line + (int)(i - menu->top), 0, terminal->columns,
		             &text, look);
	}

	text_deinit(&text);
}
