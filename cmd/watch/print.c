/* SPDX-License-Identifier: MIT */
#include "watch/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>

#include "base/alloc.h"
#include "base/delta.h"
#include "base/utf8.h"
#include "view/numbered_table.h"
#include "watch/format.h"
#include "watch/kinds.h"
#include "watch/members.h"
#include "watch/peek/peek.h"
#include "watch/peek/print.h"

static const enum watch_column now_columns[] = {
	WATCH_ADDRESS, WATCH_RSS,     WATCH_DELTA, WATCH_GROWTH,
	WATCH_RATE,    WATCH_VERDICT, WATCH_KIND,  WATCH_MAPPING,
};
static const enum watch_column summary_columns[] = {
	WATCH_ADDRESS, WATCH_RSS,     WATCH_GROWTH, WATCH_RATE,    WATCH_PER_HOUR,
	WATCH_PER_DAY, WATCH_VERDICT, WATCH_KIND,   WATCH_MAPPING,
};

/** A table of rows. */
struct view {
	const struct watch *watch;
	const enum watch_column *columns;
};

static void cell(void *context, size_t index, size_t which, struct text *text)
{
	const struct view *view = context;
	watch_format_cell(view->watch, &view->watch->rows[index], view->columns[which], text);
}

static enum out_style style(void *context, size_t index, size_t which)
{
	const struct view *view = context;
	return watch_format_style(&view->watch->rows[index], view->columns[which]);
}

static bool identify(void *context, size_t index, struct numbered_row *row)
{
	const struct view *view = context;
	const struct pm_track *track = view->watch->rows[index].track;
	*row = (struct numbered_row){ .start = track->start,
		                      .end = track->end,
		                      .kind = track->kind,
		                      .mapping = track->mapping };
	if (track->regions > 1)
		row->ranges = watch_members(view->watch, track, &row->range_count);

	return track->regions > 0;
}

/** Columns that are left out where a terminal is too narrow, the least important first. */
static const enum watch_column droppable[] = { WATCH_PER_DAY, WATCH_PER_HOUR, WATCH_DELTA,
	                                       WATCH_RSS,     WATCH_KIND,     WATCH_RATE };

/**
 * Takes the next column out that may go.
 * @param from place among those that may
 * @param titles gets its title
 * @return false: none is left
 */
static bool drop_column(enum watch_column *columns, size_t *count, size_t *from,
                        struct text *titles)
{
	while (*from < sizeof droppable / sizeof *droppable) {
		enum watch_column dropped = droppable[(*from)++];
		for (size_t i = 0; i < *count; i++) {
			if (columns[i] != dropped)
				continue;
			text_format(titles, "%s%s", titles->length > 0 ? ", " : "",
			            watch_format_columns[dropped].title);
			memmove(columns + i, columns + i + 1, (--*count - i) * sizeof *columns);
			return true;
		}
	}

	return false;
}

/**
 * Prints the rows.
 * @param tell whether to say which columns had no room
 */
static void print_rows(const struct watch *watch, const enum watch_column *chosen, size_t count,
                       bool tell, struct out *out)
{
	struct text dropped = { 0 };
	enum watch_column kept[WATCH_COLUMNS];
	struct table_column columns[WATCH_COLUMNS];
	struct view view = { .watch = watch, .columns = kept };
	struct table table = {
		.columns = columns,
		.rows = watch->row_count,
		.titles = true,
		.open_end = true,
		.context = &view,
		.cell = cell,
		.style = style,
	};

	memcpy(kept, chosen, count * sizeof *kept);
	size_t next = 0;
	do {
		for (size_t i = 0; i < count; i++)
			columns[i] = watch_format_columns[kept[i]];
		table.column_count = count;
	} while (!numbered_table_fits(&table, out) && drop_column(kept, &count, &next, &dropped));

	numbered_table_print(&table, identify, out);
	if (tell && dropped.length > 0) {
		out_string(out, "\xe2\x80\xa6 no room for ");
		text_char(&dropped, '\n');
		out_text(out, &dropped);
	}

	text_deinit(&dropped);
}

/**
 * Prints the strings of new pages.
 * @param since those which were looked at in a sample of this time or later
 */
static void print_peeks(const struct watch *watch, double since, struct out *out)
{
	struct text line = { 0 };
	for (size_t i = 0; i < watch->row_count; i++) {
		const struct peek_result *found = peek_found(watch, &watch->rows[i]);
		if (!found || found->time < since)
			continue;
		text_clear(&line);
		peek_print_describe(watch, &watch->rows[i], &line);
		out_format(out, " %s\n", text_terminate(&line));
	}

	text_deinit(&line);
}

void watch_print(const struct watch *watch, struct out *out)
{
	struct text line = { 0 };
	delta_put_time(&line, watch->sample.wall_ns);
	text_string(&line, "  ");
	watch_format_rss(watch, &line);
	watch_format_parts(watch, &line);
	watch_format_limit(watch, &line);
	watch_format_cost(watch, &line);
	text_char(&line, '\n');

	out_wrapped(out, &line, 2);
	text_deinit(&line);
	if (watch->row_count > 0)
		print_rows(watch, now_columns, sizeof now_columns / sizeof *now_columns, false,
		           out);
	print_peeks(watch, watch->sample.time, out);
	out_string(out, "\n");
}

/** Why a verdict is what it is. */
static void put_reason(const struct watch_row *row, struct text *text)
{
	text_clear(text);
	text_string(text, row->trend.reason);
	if (*row->count_trend.reason && strcmp(row->count_trend.reason, row->trend.reason) != 0)
		text_format(text, "; the number of regions: %s, %s",
		            pm_verdict_name(row->count_trend.verdict), row->count_trend.reason);
	text_terminate(text);
}

/** Whether the first line has said it: of the process it is too early for the same reason. */
static bool is_told(const struct watch *watch, const struct watch_row *row)
{
	const char *reason = watch->memory_trend.reason;
	bool same = row->trend.verdict == PM_VERDICT_TOO_EARLY &&
	            strcmp(row->trend.reason, reason) == 0;
	return same && (!*row->count_trend.reason || strcmp(row->count_trend.reason, reason) == 0);
}

/** Rows with verdicts for one reason. */
struct reason {
	struct text words;
	struct text rows; /* their addresses */
};

/** The reason of a row among those so far, or one more. */
static struct reason *find_reason(struct reason **reasons, size_t *count, const struct text *words)
{
	for (size_t i = 0; i < *count; i++)
		if (strcmp((*reasons)[i].words.bytes, words->bytes) == 0)
			return &(*reasons)[i];

	*reasons = alloc_array(*reasons, *count + 1, sizeof **reasons);
	struct reason *made = &(*reasons)[(*count)++];
	*made = (struct reason){ 0 };
	text_bytes(&made->words, words->bytes, words->length);
	text_terminate(&made->words);
	return made;
}

/** The reasons of all verdicts, each once, with the rows that have it. */
static void print_reasons(const struct watch *watch, struct out *out)
{
	struct text words = { 0 };
	struct reason *reasons = NULL;
	size_t count = 0;
	for (size_t i = 0; i < watch->row_count; i++) {
		if (is_told(watch, &watch->rows[i]))
			continue;
		put_reason(&watch->rows[i], &words);
		struct text *rows = &find_reason(&reasons, &count, &words)->rows;
		text_format(rows, "%s%" PRIx64, rows->length > 0 ? ", " : "",
		            watch->rows[i].track->start);
	}

	for (size_t i = 0; i < count; i++) {
		text_format(&reasons[i].rows, ": %s\n", reasons[i].words.bytes);
		out_wrapped(out, &reasons[i].rows, 2);
		text_deinit(&reasons[i].words);
		text_deinit(&reasons[i].rows);
	}

	free(reasons);
	text_deinit(&words);
}

/** What grew, by kind: a leak may be spread over rows each of which has another verdict. */
static void add_kinds(const struct watch *watch, struct text *line)
{
	size_t count = 0;

	watch_kinds_sort(watch->kinds, watch);
	for (size_t i = 0; i < watch->kinds->count; i++) {
		const struct watch_row *row = &watch->kinds->rows[i];
		if (row->growth <= 0)
			continue;
		text_format(line, "%s%s ",
		            count++ > 0 ? ", " : "by kind: ", pm_kind_name(row->track->kind));
		delta_put_bytes(line, row->growth, watch->options->output.bytes);
		if (row->trend.verdict == PM_VERDICT_STEADY) {
			text_char(line, ' ');
			watch_format_rate(&row->trend, line);
		}
		text_format(line, " %s", pm_verdict_name(row->trend.verdict));
	}

	if (count > 0)
		text_char(line, '\n');
}

void watch_print_summary(const struct watch *watch, struct out *out)
{
	struct text line = { 0 };
	char duration[PM_DURATION_TEXT_SIZE];
	int64_t growth = (int64_t)(watch->sample.totals.rss - watch->first.rss);

	pm_format_duration(watch->sample.time - watch->began, duration);
	utf8_escape(&line, watch->run.comm, strlen(watch->run.comm));
	text_format(&line, " (%d) for %s, %" PRIu64 " sample%s: RSS ", (int)watch->run.pid,
	            duration, watch->samples, watch->samples == 1 ? "" : "s");
	watch_format_size(watch, watch->sample.totals.rss, &line);
	text_string(&line, ", growth ");
	delta_put_bytes(&line, growth, watch->options->output.bytes);

	if (watch->based > watch->began) {
		pm_format_duration(watch->sample.time - watch->based, duration);
		text_format(&line, " in the last %s", duration);
	}

	text_format(&line, ", %s (%s)", pm_verdict_name(watch->memory_trend.verdict),
	            watch->memory_trend.reason);
	watch_format_limit(watch, &line);
	text_char(&line, '\n');
	if (watch->row_count > 1)
		add_kinds(watch, &line);
	if (watch->ended)
		text_format(&line, "ended: %s\n", watch->ended);

	out_wrapped(out, &line, 2);
	/* What a screen told is there already. */
	if (!watch->options->live)
		out_wrapped(out, &watch->firings, 4);
	text_clear(&line);
	watch_format_cost(watch, &line);
	if (line.length > 0)
		text_char(&line, '\n');

	out_text(out, &line);
	text_deinit(&line);
	if (watch->row_count == 0) {
		out_string(out, "no region changed\n");
		return;
	}

	print_rows(watch, summary_columns, sizeof summary_columns / sizeof *summary_columns, true,
	           out);
	print_peeks(watch, 0, out);
	print_reasons(watch, out);
}
