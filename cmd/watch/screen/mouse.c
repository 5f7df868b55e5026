/* SPDX-License-Identifier: MIT */
#include "watch/screen/mouse.h"

#include "watch/screen/footer.h"

static void click_title(struct screen_state *state, int column)
{
	enum watch_sort sort;

	if (screen_table_sort_at(&state->place, column, &sort))
		screen_state_sort_by(state, sort);
	else
		screen_state_message(state, "rows cannot be sorted by this column");
}

static void click_row(struct screen_state *state, struct terminal_point mouse)
{
	struct screen_rows *rows = &state->rows;
	size_t index = rows->top + (size_t)(mouse.row - state->place.first_row);

	if (index >= rows->count)
		return;

	screen_rows_select(rows, index);
	if (!rows->grouped && !rows->items[index]->part_of &&
	    rows->items[index]->track->regions > 1 &&
	    screen_table_has_address_at(&state->place, mouse.column))
		screen_state_expand(state, SCREEN_TOGGLE);
}

uint32_t screen_mouse_click(struct screen_state *state, struct terminal_point mouse, int lines)
{
	const struct screen_table_place *place = &state->place;

	if (mouse.row == lines - 1)
		return screen_footer_key(state, mouse.column);
	if (!state->over)
		text_clear(&state->message);
	if (state->pane.open || place->row_count == 0)
		return TERMINAL_NO_KEY;

	if (mouse.row == place->first_row - 1)
		click_title(state, mouse.column);
	else if (mouse.row >= place->first_row && mouse.row < place->first_row + place->row_count)
		click_row(state, mouse);
	return TERMINAL_NO_KEY;
}

const char *screen_mouse_toggle(struct terminal *terminal)
{
	if (!terminal_use_mouse(terminal, !terminal->mouse))
		return "this terminal does not report the mouse";
	if (terminal->mouse)
		return "mouse on; with Shift, the terminal selects text (m: off)";
	return "mouse off: the terminal selects text (m: on)";
}
