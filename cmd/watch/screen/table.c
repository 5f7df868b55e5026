/* SPDX-License-Identifier: MIT */
/** @file The rows of the live screen: as many columns as there is room for. */
#include "watch/screen/table.h"

#include "base/utf8.h"
#include "view/spark.h"
#include "watch/format.h"
#include "watch/members.h"
#include "watch/screen/screen.h"
#include "watch/sort.h"

/* What stands in a column of the screen: what text has, too, and what it has not. */
enum { COUNT = WATCH_COLUMNS, HISTORY, SCREEN_COLUMNS };

enum {
	COLUMNS_MAX = 10,
	MAPPING_MIN = 10,
	WIDE_MAPPING = 24,
	SHORT_HISTORY = 8,
	LONG_HISTORY = 16,
	BYTES_WIDER = 7
};

/**
 * Columns that are there, and how wide they are. A width does not depend on what is in it now: a
 * table that jumps cannot be read.
 */
struct layout {
	int columns[COLUMNS_MAX];
	int widths[SCREEN_COLUMNS]; /* 0: left out */
	int count;
	bool range; /* addresses have an end */
};

static const int usual_widths[SCREEN_COLUMNS] = {
	[WATCH_KIND] = 7,          [WATCH_MAPPING] = MAPPING_MIN,
	[WATCH_RSS] = 7,           [WATCH_DELTA] = 8,
	[WATCH_GROWTH] = 8,        [WATCH_RATE] = 11,
	[WATCH_VERDICT] = 9,       [COUNT] = 6,
	[HISTORY] = SHORT_HISTORY,
};

static int total_width(const struct layout *layout)
{
	int total = -1;
	for (int i = 0; i < layout->count; i++)
		if (layout->widths[layout->columns[i]] > 0)
			total += layout->widths[layout->columns[i]] + 1;
	return total;
}

/**
 * Leaves columns out until the rest fits, the least important first; then gives the room that is
 * left to words.
 */
static void fit(struct layout *layout, int room, int long_address, int short_address)
{
	static const int least_important[] = {
		WATCH_DELTA, HISTORY,    WATCH_MAPPING, WATCH_RSS,
		COUNT,       WATCH_RATE, WATCH_KIND,    WATCH_VERDICT
	};
	int *widths = layout->widths;

	if (total_width(layout) > room) {
		layout->range = false;
		widths[WATCH_ADDRESS] = widths[WATCH_ADDRESS] > 0 ? short_address : 0;
	}

	for (size_t i = 0;
	     i < sizeof least_important / sizeof *least_important && total_width(layout) > room;
	     i++)
		widths[least_important[i]] = 0;

	int left = room - total_width(layout);
	if (!layout->range && widths[WATCH_ADDRESS] > 0 && left >= long_address - short_address) {
		layout->range = true;
		widths[WATCH_ADDRESS] = long_address;
		left -= long_address - short_address;
	}

	if (widths[HISTORY] > 0 &&
	    left >= WIDE_MAPPING - MAPPING_MIN + LONG_HISTORY - SHORT_HISTORY) {
		widths[HISTORY] = LONG_HISTORY;
		left -= LONG_HISTORY - SHORT_HISTORY;
	}

	if (widths[WATCH_MAPPING] > 0)
		widths[WATCH_MAPPING] += left;
}

/** Columns that watch_members_add_more() takes: a blank, a sign and digits. */
static int width_of_more(size_t count)
{
	int width = 2;
	for (size_t left = count - 1; left > 0; left /= 10)
		width++;
	return count > 1 ? width : 0;
}

static struct layout lay_out(const struct screen *screen)
{
	static const int of_regions[] = {
		WATCH_ADDRESS, WATCH_KIND, WATCH_MAPPING, WATCH_RSS, WATCH_DELTA,
		WATCH_GROWTH,  WATCH_RATE, WATCH_VERDICT, HISTORY,
	};
	static const int of_kinds[] = { WATCH_KIND,   COUNT,      WATCH_RSS,     WATCH_DELTA,
		                        WATCH_GROWTH, WATCH_RATE, WATCH_VERDICT, HISTORY };
	bool grouped = screen->rows.grouped;
	const int *columns = grouped ? of_kinds : of_regions;

	struct layout layout = { .range = true };
	int start = 1, end = 1, more = 0;

	layout.count = (int)(grouped ? sizeof of_kinds / sizeof *of_kinds
	                             : sizeof of_regions / sizeof *of_regions);
	for (int i = 0; i < layout.count; i++) {
		layout.columns[i] = columns[i];
		layout.widths[columns[i]] = usual_widths[columns[i]];
	}

	if (screen->options->output.bytes)
		for (int column = WATCH_RSS; column <= WATCH_GROWTH; column++)
			layout.widths[column] += layout.widths[column] > 0 ? BYTES_WIDER : 0;

	for (size_t i = 0; i < screen->rows.count; i++) {
		const struct pm_track *track = screen->rows.items[i]->track;
		int first = (int)text_hex_length(track->start),
		    last = (int)text_hex_length(track->end);
		start = first > start ? first : start;
		end = last > end ? last : end;
		int wide = width_of_more(track->regions);
		more = wide > more ? wide : more;
	}

	/* Addresses have eight digits at the least. */
	start = start > 8 ? start : 8;
	end = end > 8 ? end : 8;
	layout.widths[WATCH_ADDRESS] = grouped ? 0 : start + 1 + end + more;
	fit(&layout, screen->terminal.columns, start + 1 + end + more, start + more);

	return layout;
}

static void add_history(const struct screen *screen, const struct pm_track *track, int width,
                        struct text *text)
{
	const struct watch *watch = screen_shown(screen);
	double now = watch->sample.time, began = watch->began;
	struct pm_point point = { .time = track->since, .value = track->weight };
	const struct pm_series constant = {
		.points = &point, .count = 1, .last = now, .samples = watch->samples
	};
	struct pm_series series = track->series.count > 0 ? track->series : constant;

	/* All curves have the same scale of time. */
	series.samples = watch->samples;
	spark_add(text, &series, began, now, (size_t)width, !screen->terminal.utf8);
}

/** Adds what a row is; of a path that does not fit the name of the file. */
static void add_mapping(const struct watch_row *row, int width, struct text *text)
{
	watch_format_describe(row, text);
	if (utf8_columns(text->bytes, text->length) <= (size_t)width)
		return;

	char *path = memchr(text->bytes, '/', text->length),
	     *name = memrchr(text->bytes, '/', text->length);
	/* In "×40 /srv/parts/a" a path stands behind a number. */
	if (!path || *row->track->mapping != '/')
		return;
	size_t after = text->length - (size_t)(name + 1 - text->bytes);

	memmove(path, name + 1, after);
	text->length = (size_t)(path - text->bytes) + after;
}

static void add_short_address(const struct watch_row *row, struct text *text)
{
	text_hex(text, row->track->start, 8);
	watch_members_add_more(row->track->regions, text);
}

static void add_cell(const struct screen *screen, const struct layout *layout,
                     const struct watch_row *row, int column, struct text *text)
{
	if (column == HISTORY)
		add_history(screen, row->track, layout->widths[HISTORY], text);
	else if (column == COUNT)
		text_decimal(text, row->track->regions);
	else if (column == WATCH_MAPPING)
		add_mapping(row, layout->widths[WATCH_MAPPING], text);
	else if (column == WATCH_ADDRESS && !layout->range)
		add_short_address(row, text);
	else
		watch_format_cell(screen_shown(screen), row, (enum watch_column)column, text);
}

static enum out_style cell_style(const struct watch_row *row, int column)
{
	if (column >= WATCH_COLUMNS)
		return OUT_PLAIN;
	if (column == WATCH_ADDRESS && row->track->born)
		return OUT_NEW;
	return watch_format_style(row, (enum watch_column)column);
}

/** Puts a cell at its side of the column. */
static void put_cell(struct screen *screen, int line, int at, int width, bool right,
                     struct text *text, struct terminal_look look)
{
	int columns = (int)utf8_columns(text->bytes, text->length);
	if (columns > width) {
		text->length = utf8_fit(text->bytes, text->length, (size_t)width - 1);
		text_string(text, screen->terminal.utf8 ? "\xe2\x80\xa6" : "~");
	}

	if (right && columns < width) {
		at += width - columns;
		width = columns;
	}

	terminal_put(&screen->terminal, line, at, width, text, look);
}

/** Draws a row; NULL: the titles. */
static void draw_row(struct screen *screen, const struct layout *layout,
                     const struct watch_row *row, bool chosen, int line)
{
	struct text text = { 0 };
	const struct terminal_look background = { .chosen = chosen };
	int at = 0;

	if (chosen)
		terminal_put(&screen->terminal, line, 0, screen->terminal.columns, &text,
		             background);

	for (int i = 0; i < layout->count; i++) {
		int column = layout->columns[i], width = layout->widths[column];

		if (width == 0)
			continue;

		bool right = column == COUNT ||
		             (column < WATCH_COLUMNS && watch_format_columns[column].right);
		struct terminal_look look = { .style = row ? cell_style(row, column) : OUT_PLAIN,
			                      .bold = !row,
			                      .chosen = chosen };

		text_clear(&text);
		if (row)
			add_cell(screen, layout, row, column, &text);
		else
			text_string(&text, column == COUNT ? "COUNT"
			                   : column == HISTORY
			                           ? "HISTORY"
			                           : watch_format_columns[column].title);

		put_cell(screen, line, at, width, right, &text, look);
		at += width + 1;
	}

	text_deinit(&text);
}

/** What stands where there are no rows. */
static void draw_nothing(struct screen *screen, int line)
{
	struct text text = { 0 };
	const struct terminal_look plain = { 0 };
	if (screen->rows.hidden > 0)
		text_format(&text, "none of %zu rows fits the filter", screen->rows.hidden);
	else
		text_string(&text, "no region changed so far (s: sorted by rss all are shown)");

	terminal_put(&screen->terminal, line, 0, screen->terminal.columns, &text, plain);
	text_deinit(&text);
}

void screen_table(struct screen *screen, int line, int height)
{
	struct screen_rows *rows = &screen->rows;
	const struct layout layout = lay_out(screen);

	if (height < 2)
		return;

	size_t room = (size_t)height - 1;
	screen_rows_scroll(rows, room);
	draw_row(screen, &layout, NULL, false, line++);
	if (rows->count == 0)
		draw_nothing(screen, line);

	for (size_t i = rows->top; i < rows->count && i < rows->top + room; i++) {
		watch_sort_judge(screen_shown(screen), rows->items[i]);
		draw_row(screen, &layout, rows->items[i], i == rows->index, line++);
	}
}
