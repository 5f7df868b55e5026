/* SPDX-License-Identifier: MIT */
#include "watch_strings.h"

#include <inttypes.h>

#include "utf8.h"
#include "watch_peek.h"

/* More than anybody reads, and few enough to be drawn at each look. */
enum { MOST_STRINGS = 1000 };

static void add_title(const struct peek *found, const struct watch_row *row, struct text *title)
{
	text_format(title, "text in %s of %" PRIx64 " (", found->all ? "all pages" : "the newest pages", row->track->start);
	text_size(title, found->searched);
	if (found->searched < found->pages) {
		text_string(title, " of ");
		text_size(title, found->pages);
	}
	text_format(title, "): %s%zu strings (Esc: back)", found->count == MOST_STRINGS ? "the commonest " : "", found->count);
}

static void add_strings(const struct peek *found, struct text *text)
{
	for (size_t i = 0; i < found->count; i++) {
		text_format(text, "%8" PRIu64 "  ", found->strings[i].count);
		utf8_escape(text, found->strings[i].bytes, found->strings[i].length);
		text_char(text, '\n');
	}
	if (found->count == 0)
		text_string(text, "no text of six or more characters\n");
}

void watch_strings_show(struct watch_screen *screen, const struct watch_row *row)
{
	struct pm_error error = { 0 };
	struct peek found = { 0 };
	struct text title = { 0 };
	if (screen->over) {
		watch_screen_say(screen, "its memory cannot be read any more");
		return;
	}
	if (watch_peek_newest(screen->watch, row, MOST_STRINGS, &found, &error) < 0) {
		watch_screen_say(screen, "%s", error.text);
		return;
	}
	add_title(&found, row, &title);
	watch_pane_open(&screen->pane, text_terminate(&title));
	add_strings(&found, &screen->pane.text);
	text_deinit(&title);
	peek_deinit(&found);
}
