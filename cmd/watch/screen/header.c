/* SPDX-License-Identifier: MIT */
#include "watch/screen/header.h"

#include <string.h>

#include <procmem/number.h>

#include "base/minmax.h"
#include "base/utf8.h"
#include "view/spark.h"
#include "watch/format.h"
#include "watch/verdict.h"

/* The header uses at most 1/SHARE of the lines of the screen, and at most LINES_MAX lines, to leave
 * room for rows. SPARK_MAX is the maximum width of the curve, in columns. */
enum { SHARE = 3, LINES_MAX = 5, SPARK_MAX = 40 };

/**
 * Lines that are being filled with pieces of text. Two spaces separate pieces in a line. A piece
 * that does not fit into the current line is put into the next line.
 */
struct flow {
	struct terminal *terminal;
	int line, column;
	int lines; /* number of lines that may be used */
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
	/* On a terminal without UTF-8, the text can be wider. */
	terminal_put(flow->terminal, flow->line, flow->column, flow->terminal->columns, &text,
	             plain);
	flow->column += columns;
}

/** Checks whether a piece ends at an index: at two spaces, or at the end of the text. */
static bool ends_at(const struct text *text, size_t at)
{
	if (at == text->length)
		return true;

	return at + 1 < text->length && text->bytes[at] == ' ' && text->bytes[at + 1] == ' ';
}

static void put_pieces(struct flow *flow, const struct text *text)
{
	size_t start = 0;

	for (size_t at = 0; at <= text->length; at++) {
		if (!ends_at(text, at))
			continue;
		if (at > start)
			put_piece(flow, text->bytes + start, at - start);
		at += at < text->length;
		start = at + 1;
	}
}

/**
 * Starts the next line if the header may use LINES_MAX lines. Otherwise the next piece continues
 * the current line.
 */
static void end_line(struct flow *flow)
{
	if (flow->lines + 1 < LINES_MAX || flow->column == 0)
		return;

	flow->line++;
	flow->column = 0;
}

/** Adds the process, its sizes, and its limits. */
static void add_process(const struct screen_state *state, struct text *text)
{
	const struct watch_history *history = screen_state_history(state);
	const struct pm_process_id *process = &state->watch->run.process;
	bool bytes = state->watch->view.bytes;

	utf8_escape(text, process->comm, strlen(process->comm));
	text_format(text, " %d  ", (int)process->pid);
	watch_format_rss(history, bytes, text);
	watch_format_limit(history, bytes, text);
	text_string(text, "  ");
	watch_verdict_short(history, bytes, text);
	watch_format_parts(history, bytes, text);

	struct text around = { 0 };
	if (watch_around_describe(state->watch->run.around, &around)) {
		text_string(text, "  ");
		text_bytes(text, around.bytes, around.length);
	}
	text_deinit(&around);
}

/** Adds the time since the start, and the cost. */
static void add_times(const struct watch_history *history, struct text *text)
{
	char duration[PM_DURATION_TEXT_SIZE];
	double now = history->sample.time;

	pm_format_duration(now - history->began, duration);
	text_format(text, "  %s", duration);
	if (history->based > history->began) {
		pm_format_duration(now - history->based, duration);
		text_format(text, "  baseline %s ago", duration);
	}

	watch_format_cost(history, text);
	watch_format_age(history, text);
}

/** Adds the filter, the sort order and the other choices of the user. */
static void add_choices(const struct screen_state *state, struct text *text)
{
	const struct screen_rows *rows = &state->rows;

	/* "ENDED" and "PAUSED" come first: they say that all values on the screen are no longer
	 * current. */
	if (state->over)
		text_string(text, "  ENDED");
	if (state->snapshot.taken)
		text_string(text, "  PAUSED");

	if (rows->filter_text.length > 0) {
		text_string(text, "  filter: ");
		utf8_escape(text, rows->filter_text.bytes, rows->filter_text.length);
		text_format(text, " (%zu of %zu)", rows->count, rows->count + rows->hidden);
	}

	text_format(text, "  sort: %s", watch_view_sort_name(state->watch->view.sort));
	if (rows->grouped)
		text_string(text, rows->by_owner ? "  by owner" : "  by kind");
	text_format(text, "  every %gs", state->watch->run.options->interval);
}

int screen_header_draw(const struct screen_state *state, struct terminal *terminal)
{
	const struct watch_history *history = screen_state_history(state);
	struct text text = { 0 };
	int lines = (int)pm_min_size((size_t)terminal->rows / SHARE, LINES_MAX);
	size_t spark = pm_min_size((size_t)terminal->columns / 2, SPARK_MAX);

	/* The last line is for the choices of the user. */
	struct flow flow = { .terminal = terminal, .lines = lines > 1 ? lines - 1 : lines };

	add_process(state, &text);
	put_pieces(&flow, &text);
	end_line(&flow);

	text_clear(&text);
	spark_add(&text, &history->memory.series, history->began, history->sample.time, spark,
	          !terminal->utf8);
	put_piece(&flow, text.bytes, text.length);

	text_clear(&text);
	add_times(history, &text);
	put_pieces(&flow, &text);
	end_line(&flow);

	text_clear(&text);
	add_choices(state, &text);
	if (lines > flow.lines && flow.line >= flow.lines) {
		flow.line = flow.lines;
		flow.column = 0;
	}

	flow.lines = lines;
	put_pieces(&flow, &text);
	text_deinit(&text);

	return flow.line < flow.lines ? flow.line + 1 : flow.lines;
}
