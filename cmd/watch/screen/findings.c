/* SPDX-License-Identifier: MIT */
#include "watch/screen/findings.h"

#include "watch/why.h"

void screen_findings_show(struct screen_state *state, int columns)
{
	const struct watch_why why = { .run = &state->watch->run,
		                       .history = &state->watch->history };
	struct pm_error error = { 0 };
	struct text lines = { 0 };

	if (watch_why_read(&why, columns > 20 ? (size_t)columns : 20, &lines, &error) < 0)
		screen_state_message(state, "%s", error.text);
	else
		screen_pane_open(&state->pane, SCREEN_WHY, "why: findings so far (w, Esc: back)",
		                 lines.bytes, lines.length);
	text_deinit(&lines);
}
