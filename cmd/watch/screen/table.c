/* SPDX-License-Identifier: MIT */
#include "watch/screen/table.h"

#include <string.h>

#include "base/utf8.h"
#include "view/spark.h"
#include "watch/format.h"

/* The columns of the screen: some of those of enum watch_column, and also COUNT and HISTORY. */
enum { COUNT = WATCH_COLUMNS, HISTORY, SCREEN_COLUMNS };

enum {
	MAPPING_MIN = 10,
	WIDE_MAPPING = 24,
	SHORT_HISTORY = 8,
	LONG_HISTORY = 16,
	BYTES_WIDER = 7,
	INDENT = 2,
	OWNER_WIDTH = 15
};

/**
 * Visible columns and their widths. Widths do not depend on the contents of the cells, so that
 * columns do not move when contents change.
 */
struct layout {
	int columns[SCREEN_TABLE_COLUMNS_MAX];
	int widths[SCREEN_COLUMNS]; /* width of each column on the terminal; 0: the column is left
	                               out */
	int count;
	bool range; /* addresses are shown with their end */
};

/* Width of the column of addresses, in columns of the terminal: with start and end, and with the
 * start only. */
struct address_widths {
	int range, start;
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

/** Leaves out columns until the others fit, the least important first. */
static void drop_columns(struct layout *layout, int room)
{
	static const int least_important[] = {
		WATCH_DELTA, HISTORY,    WATCH_MAPPING, WATCH_RSS,
		COUNT,       WATCH_RATE, WATCH_KIND,    WATCH_VERDICT
	};
	size_t count = sizeof least_important / sizeof *least_important;

	for (size_t i = 0; i < count && total_width(layout) > room; i++)
		layout->widths[least_important[i]] = 0;
}

/**
 * Fits the columns into a width of `room`, in columns of the terminal. If width remains, it is used
 * first for the end addresses of ranges, then for a longer history, and then for the mapping.
 */
static void fit(struct layout *layout, int room, struct address_widths address)
{
	int *widths = layout->widths, end = address.range - address.start;

	if (total_width(layout) > room) {
		layout->range = false;
		if (widths[WATCH_ADDRESS] > 0)
			widths[WATCH_ADDRESS] = address.start;
	}

	drop_columns(layout, room);
	int left = room - total_width(layout);
	if (!layout->range && widths[WATCH_ADDRESS] > 0 && left >= end) {
		layout->range = true;
		widths[WATCH_ADDRESS] = address.range;
		left -= end;
	}

	if (widths[HISTORY] > 0 &&
	    left >= WIDE_MAPPING - MAPPING_MIN + LONG_HISTORY - SHORT_HISTORY) {
		widths[HISTORY] = LONG_HISTORY;
		left -= LONG_HISTORY - SHORT_HISTORY;
	}

	if (widths[WATCH_MAPPING] > 0)
		widths[WATCH_MAPPING] += left;
}

/** Returns the width of the text that watch_format_add_more() adds: a space, a sign and digits. */
static int width_of_more(size_t count)
{
	int width = 2;
	for (size_t left = count - 1; left > 0; left /= 10)
		width++;
	return count > 1 ? width : 0;
}

static int larger(int one, int other)
{
	return one > other ? one : other;
}

/** Finds the widths of the addresses of all rows: at least eight digits each. */
static struct address_widths measure_addresses(const struct screen_rows *rows)
{
	int start = 8, end = 8, more = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const struct pm_track *track = rows->items[i]->track;
		start = larger(start, (int)text_hex_length(track->start));
		end = larger(end, (int)text_hex_length(track->end));
		more = larger(more, width_of_more(track->regions));
		more = larger(more, rows->items[i]->part_of ? INDENT : 0);
	}

	return (struct address_widths){ .range = start + 1 + end + more, .start = start + more };
}

static struct layout lay_out(const struct screen_table *table, int room)
{
	static const int of_regions[] = {
		WATCH_ADDRESS, WATCH_KIND, WATCH_MAPPING, WATCH_RSS, WATCH_DELTA,
		WATCH_GROWTH,  WATCH_RATE, WATCH_VERDICT, HISTORY,
	};
	static const int of_kinds[] = { WATCH_KIND,   COUNT,      WATCH_RSS,     WATCH_DELTA,
		                        WATCH_GROWTH, WATCH_RATE, WATCH_VERDICT, HISTORY };
	struct address_widths address = measure_addresses(table->rows);
	const int *columns = of_regions;
	struct layout layout = { .range = true, .count = sizeof of_regions / sizeof *of_regions };

	if (table->rows->grouped) {
		columns = of_kinds;
		layout.count = sizeof of_kinds / sizeof *of_kinds;
	}

	for (int i = 0; i < layout.count; i++) {
		layout.columns[i] = columns[i];
		layout.widths[columns[i]] = usual_widths[columns[i]];
	}

	if (table->bytes)
		for (int column = WATCH_RSS; column <= WATCH_GROWTH; column++)
			layout.widths[column] += layout.widths[column] > 0 ? BYTES_WIDER : 0;
	if (!table->rows->grouped)
		layout.widths[WATCH_ADDRESS] = address.range;
	else if (table->rows->by_owner)
		layout.widths[WATCH_KIND] = OWNER_WIDTH;

	fit(&layout, room, address);
	return layout;
}

static void add_curve(const struct watch_history *history, const struct pm_track *track, int width,
                      bool ascii, struct text *text)
{
	double now = history->sample.time;
	struct pm_point point = { .time = track->since, .value = track->weight };
	struct pm_series series = { .points = &point, .count = 1, .last = now };

	if (track->series.count > 0)
		series = track->series;

	/* All curves have the same time scale. */
	series.samples = history->samples;
	spark_add(text, &series, history->began, now, (size_t)width, ascii);
}

/** Adds the description of a row. If a path does not fit, only the name of the file is added. */
static void add_mapping(const struct watch_row *row, int width, struct text *text)
{
	watch_format_describe(row, text);
	if (utf8_columns(text->bytes, text->length) <= (size_t)width)
		return;

	/* Other text may precede and follow the path, also with a slash: "×40 (+0.5/s) /srv/a". */
	const char *mapping = row->track->mapping;
	size_t length = strlen(mapping);
	char *path = length > 0 ? memmem(text->bytes, text->length, mapping, length) : NULL;
	char *name = path ? memrchr(path, '/', length) : NULL;
	if (!name || *mapping != '/')
		return;

	size_t after = text->length - (size_t)(name + 1 - text->bytes);
	memmove(path, name + 1, after);
	text->length = (size_t)(path - text->bytes) + after;
}

static void add_short_address(const struct watch_row *row, struct text *text)
{
	text_hex(text, row->track->start, 8);
	watch_format_add_more(row->track->regions, text);
}

static void add_cell(const struct screen_table *table, const struct layout *layout,
                     const struct watch_row *row, int column, bool ascii, struct text *text)
{
	/* Only the row of all regions has a history. */
	if (row->part_of && (column == HISTORY || column == WATCH_DELTA || column == WATCH_GROWTH ||
	                     column == WATCH_RATE || column == WATCH_VERDICT))
		return;
	if (row->part_of && column == WATCH_ADDRESS)
		text_string(text, "  ");

	if (column == HISTORY)
		add_curve(table->history, row->track, layout->widths[HISTORY], ascii, text);
	else if (column == COUNT)
		text_decimal(text, row->track->regions);
	else if (column == WATCH_MAPPING)
		add_mapping(row, layout->widths[WATCH_MAPPING], text);
	else if (column == WATCH_ADDRESS && !layout->range)
		add_short_address(row, text);
	else
		watch_format_cell(row, (enum watch_column)column, table->bytes, text);
}

static const char *title_of(int column)
{
	switch (column) {
	case COUNT:
		return "COUNT";
	case HISTORY:
		return "HISTORY";
	default:
		return watch_format_columns[column].title;
	}
}

static bool is_right(int column)
{
	if (column >= WATCH_COLUMNS)
		return column == COUNT;

	return watch_format_columns[column].right;
}

/** The orders of the columns; columns that are not listed have none. */
static const struct {
	int column;
	enum watch_sort sort;
} column_sorts[] = {
	{ WATCH_ADDRESS, WATCH_BY_ADDRESS }, { WATCH_KIND, WATCH_BY_KIND },
	{ WATCH_MAPPING, WATCH_BY_MAPPING }, { WATCH_RSS, WATCH_BY_RSS },
	{ WATCH_DELTA, WATCH_BY_DELTA },     { WATCH_GROWTH, WATCH_BY_GROWTH },
	{ WATCH_RATE, WATCH_BY_RATE },
};

/** Finds the order of a column. @return false if it has none */
static bool sort_of(int column, enum watch_sort *sort)
{
	for (size_t i = 0; i < sizeof column_sorts / sizeof *column_sorts; i++) {
		if (column_sorts[i].column == column) {
			*sort = column_sorts[i].sort;
			return true;
		}
	}
	return false;
}

/** Returns the column of the table at a column of the terminal; -1 if there is none. */
static int column_at(const struct screen_table_place *place, int column)
{
	for (int i = 0; i < place->cell_count; i++)
		if (column >= place->cells[i].start &&
		    column < place->cells[i].start + place->cells[i].width)
			return place->cells[i].column;
	return -1;
}

bool screen_table_sort_at(const struct screen_table_place *place, int column, enum watch_sort *sort)
{
	return sort_of(column_at(place, column), sort);
}

bool screen_table_has_address_at(const struct screen_table_place *place, int column)
{
	return column_at(place, column) == WATCH_ADDRESS;
}

static enum out_style cell_style(const struct watch_row *row, int column)
{
	if (column >= WATCH_COLUMNS || row->part_of)
		return OUT_PLAIN;
	if (column == WATCH_ADDRESS && row->track->born)
		return OUT_NEW;
	return watch_format_style(row, (enum watch_column)column);
}

static void draw_titles(const struct screen_table *table, struct terminal *terminal,
                        const struct layout *layout, int line)
{
	struct screen_table_place *place = table->place;
	struct text text = { 0 };
	int at = 0;

	for (int i = 0; i < layout->count; i++) {
		int column = layout->columns[i], width = layout->widths[column];
		if (width == 0)
			continue;

		text_clear(&text);
		if (column == WATCH_KIND && table->rows->by_owner)
			text_string(&text, "OWNER");
		else
			text_string(&text, title_of(column));
		enum watch_sort sort;
		const struct terminal_look look = {
			.bold = true, .chosen = sort_of(column, &sort) && sort == table->sort
		};
		terminal_put_cell(terminal, line, at, width, is_right(column), &text, look);

		place->cells[place->cell_count].column = column;
		place->cells[place->cell_count].start = at;
		place->cells[place->cell_count++].width = width;
		at += width + 1;
	}

	text_deinit(&text);
}

static void draw_row(const struct screen_table *table, struct terminal *terminal,
                     const struct layout *layout, size_t index, int line)
{
	const struct watch_row *row = table->rows->items[index];
	bool chosen = index == table->rows->index;
	const struct terminal_look background = { .chosen = chosen };
	struct text text = { 0 };
	int at = 0;

	if (chosen)
		terminal_put(terminal, line, 0, terminal->columns, &text, background);

	for (int i = 0; i < layout->count; i++) {
		int column = layout->columns[i], width = layout->widths[column];
		struct terminal_look look = { .style = cell_style(row, column), .chosen = chosen };
		if (width == 0)
			continue;

		text_clear(&text);
		add_cell(table, layout, row, column, !terminal->utf8, &text);
		terminal_put_cell(terminal, line, at, width, is_right(column), &text, look);
		at += width + 1;
	}

	text_deinit(&text);
}

/** Draws the reason why there are no rows. */
static void draw_nothing(const struct screen_rows *rows, struct terminal *terminal, int line)
{
	const struct terminal_look plain = { 0 };
	struct text text = { 0 };

	if (rows->hidden > 0)
		text_format(&text, "none of %zu rows matches the filter", rows->hidden);
	else
		text_string(&text, "no region has changed yet (to see all regions, press s until "
		                   "rows are sorted by rss)");

	terminal_put(terminal, line, 0, terminal->columns, &text, plain);
	text_deinit(&text);
}

void screen_table_draw(const struct screen_table *table, struct terminal *terminal, int line,
                       int height)
{
	struct screen_rows *rows = table->rows;
	const struct layout layout = lay_out(table, terminal->columns);

	if (height < 2)
		return;

	size_t room = (size_t)height - 1;
	*table->place = (struct screen_table_place){ .first_row = line + 1,
		                                     .row_count = height - 1 };
	screen_rows_scroll(rows, room);
	draw_titles(table, terminal, &layout, line++);
	if (rows->count == 0)
		draw_nothing(rows, terminal, line);

	for (size_t i = rows->top; i < rows->count && i < rows->top + room; i++) {
		if (!rows->items[i]->part_of)
			watch_view_judge(table->history, rows->items[i]);
		draw_row(table, terminal, &layout, i, line++);
	}
}
