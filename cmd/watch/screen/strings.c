/* SPDX-License-Identifier: MIT */
#include "watch/screen/strings.h"

#include <inttypes.h>

#include "base/utf8.h"
#include "watch/peek/peek.h"

/* More than anybody reads, and few enough to be drawn at each look. */
enum { STRINGS_MAX = 1000 };

static void add_title(const struct peek_result *peek, const struct watch_row *row,
                      struct text *title)
{
	const struct pm_page_strings_found *found = &peek->found;

	text_format(title, "text in %s of %" PRIx64 " (",
	            peek->all ? "all pages" : "the newest pages", row->track->start);
	text_size(title, found->searched);

	if (found->searched < found->pages) {
		text_string(title, " of ");
		text_size(title, found->pages);
	}

	text_format(title, "): %s%zu strings (Esc: back)",
	            found->count == STRINGS_MAX ? "the commonest " : "", found->count);
}

static void add_strings(const struct pm_page_strings_found *found, struct text *text)
{
	for (size_t i = 0; i < found->count; i++) {
		text_format(text, "%8" PRIu64 "  ", found->strings[i].count);
		utf8_escape(text, found->strings[i].bytes, found->strings[i].length);
		text_char(text, '\n');
	}

	if (found->count == 0)
		text_string(text, "no text of six or more characters\n");
}

static void report(void *context, uint64_t done, uint64_t total)
{
	screen_task_report(context, done, total);
}

int screen_strings_read(void *context, struct screen_task_line *line,
                        const volatile sig_atomic_t *cancel, struct text *answer,
                        struct pm_error *error)
{
	const struct screen_strings *strings = context;
	const struct pm_page_strings_options options = {
		.max = STRINGS_MAX, .cancel = cancel, .progress = report, .context = line
	};
	struct peek_result found = { 0 };
	if (peek_newest(strings->watch, strings->row, &options, &found, error) < 0)
		return -1;

	add_title(&found, strings->row, answer);
	text_char(answer, '\n');
	add_strings(&found.found, answer);
	peek_result_deinit(&found);

	return 0;
}

void screen_strings_show(struct screen_pane *pane, const struct text *answer)
{
	const char *end = memchr(answer->bytes, '\n', answer->length);
	size_t title = end ? (size_t)(end - answer->bytes) : answer->length;
	struct text copy = { 0 };
	text_bytes(&copy, answer->bytes, title);
	screen_pane_open(pane, text_terminate(&copy));
	if (end)
		text_bytes(&pane->text, end + 1, answer->length - title - 1);
	text_deinit(&copy);
}
