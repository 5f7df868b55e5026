/* SPDX-License-Identifier: MIT */
/** @file What the live screen tells of the whole process, in as few lines as it takes. */
#include "watch/screen/header.h"

#include <procmem/number.h>

#include "base/utf8.h"
#include "view/spark.h"
#include "watch/format.h"
#include "watch/screen/screen.h"

/* A screen has rows besides: the header gets a third of it, and these lines at the most. */
enum { LINES_MAX = 5, SHARE = 3, LONGEST_SPARK = 40 };

/**
 * Lines being filled. Pieces are divided by two blanks; one that does not fit begins the next line.
 */
struct flow {
	struct terminal *terminal;
	int line, column, lines;
};

static void put_piece(struct flow *flow, const char *piece, size_t length)
{
	const struct terminal_look plain = { 0 };
	const struct text text = { .bytes = (char *)(uintptr_t)piece, .length = length };
	int columns = (int)utf8_columns(piece, length);
	if (flow->column > 0 && flow->column + 2 + columns > flow->terminal->columns) {
		flow->line++;
		flow->column = 0;
	}

	if (flow->line >= flow->lines)
		return;

	flow->column += flow->column > 0 ? 2 : 0;
	terminal_put(flow->terminal, flow->line, flow->column, columns, &text, plain);
	flow->column += columns;
}

static void put_pieces(struct flow *flow, const struct text *text)
{
	size_t begin = 0;
	for (size_t at = 0; at <= text->length; at++) {
		bool ends = at == text->length ||
		            (at + 1 < text->length && text->bytes[at] == ' ' &&
		             text->bytes[at + 1] == ' ');
		if (!ends)
			continue;
		if (at > begin)
			put_piece(flow, text->bytes + begin, at - begin);
		at += at < text->length;
		begin = at + 1;
	}
}

/** Begins the next line, where there are enough of them. */
static void end_line(struct flow *flow)
{
	if (flow->lines + 1 < LINES_MAX || flow->column == 0)
		return;
	flow->line++;
	flow->column = 0;
}

static void add_trend(const struct watch *watch, struct text *text)
{
	const struct pm_trend *trend = &watch->memory_trend;
	text_format(text, "  %s", pm_verdict_name(trend->verdict));
	if (trend->verdict == PM_VERDICT_STEADY || trend->verdict == PM_VERDICT_SHRINKING) {
		text_char(text, ' ');
		watch_format_rate(trend, text);
	}
}

/** For how long it was watched, and what that costs. */
static void add_times(const struct watch *watch, struct text *text)
{
	char duration[PM_DURATION_TEXT_SIZE];
	pm_format_duration(watch->sample.time - watch->began, duration);
	text_format(text, "  %s", duration);

	if (watch->based > watch->began) {
		pm_format_duration(watch->sample.time - watch->based, duration);
		text_format(text, "  baseline %s ago", duration);
	}

	watch_format_cost(watch, text);
}

static void add_choices(const struct screen *screen, struct text *text)
{
	static const char *const sorts[] = { "growth", "rate", "rss", "delta" };

	/* Without these the rest of the screen would be misunderstood: they come first. */
	if (screen->over)
		text_string(text, "  ENDED");
	if (screen->still.taken)
		text_string(text, "  PAUSED");

	if (screen->rows.filter_text.length > 0) {
		text_string(text, "  filter: ");
		utf8_escape(text, screen->rows.filter_text.bytes, screen->rows.filter_text.length);
		text_format(text, " (%zu of %zu)", screen->rows.count,
		            screen->rows.count + screen->rows.hidden);
	}

	text_format(text, "  sort: %s", sorts[screen->options->sort]);
	if (screen->rows.grouped)
		text_string(text, "  by kind");
	text_format(text, "  every %gs", screen->options->interval);
}

int screen_header(struct screen *screen)
{
	const struct watch *watch = screen_shown(screen);
	struct terminal *terminal = &screen->terminal;
	struct text text = { 0 };
	int lines = terminal->rows / SHARE < LINES_MAX ? terminal->rows / SHARE : LINES_MAX;

	/* The last line is for what the user has chosen. */
	struct flow flow = { .terminal = terminal, .lines = lines > 1 ? lines - 1 : lines };
	int spark = terminal->columns / 2 < LONGEST_SPARK ? terminal->columns / 2 : LONGEST_SPARK;

	utf8_escape(&text, watch->run.comm, strlen(watch->run.comm));
	text_format(&text, " %d  ", (int)watch->run.pid);
	watch_format_rss(watch, &text);
	watch_format_limit(watch, &text);
	add_trend(watch, &text);
	watch_format_parts(watch, &text);
	put_pieces(&flow, &text);
	end_line(&flow);

	text_clear(&text);
	spark_add(&text, &watch->memory, watch->began, watch->sample.time, (size_t)spark,
	          !terminal->utf8);
	put_piece(&flow, text.bytes, text.length);
	text_clear(&text);
	add_times(watch, &text);
	put_pieces(&flow, &text);
	end_line(&flow);

	text_clear(&text);
	add_choices(screen, &text);
	if (lines > flow.lines && flow.line >= flow.lines) {
		flow.line = flow.lines;
		flow.column = 0;
	}

	flow.lines = lines;
	put_pieces(&flow, &text);
	text_deinit(&text);

	return flow.line < flow.lines ? flow.line + 1 : flow.lines;
}
