/* SPDX-License-Identifier: MIT */
#include "watch/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>

#include "base/alloc.h"
#include "base/delta.h"
#include "base/minmax.h"
#include "base/utf8.h"
#include "target/owner_text.h"
#include "view/numbered_table.h"
#include "watch/columns.h"
#include "watch/format.h"
#include "watch/heap_print.h"
#include "watch/peek/peek.h"
#include "watch/peek/print.h"
#include "watch/verdict.h"

/* RSS in bytes from which the summary says how to find out what of it is used. */
static const uint64_t rss_high = UINT64_C(256) << 20;

/** A table of rows. */
struct rows {
	const struct watch_history *history;
	const struct watch_view *view;
	const enum watch_column *columns;
};

static void cell(void *context, size_t index, size_t column, struct text *text)
{
	const struct rows *rows = context;
	const struct watch_view *view = rows->view;
	watch_format_cell(&view->rows[index], rows->columns[column], view->bytes, text);
}

static enum out_style style(void *context, size_t index, size_t column)
{
	const struct rows *rows = context;
	return watch_format_style(&rows->view->rows[index], rows->columns[column]);
}

static bool identify(void *context, size_t index, struct numbered_row *row)
{
	const struct rows *rows = context;
	const struct pm_track *track = rows->view->rows[index].track;

	*row = (struct numbered_row){ .start = track->start,
		                      .end = track->end,
		                      .kind = track->kind,
		                      .mapping = track->mapping };
	if (track->regions > 1)
		row->ranges = watch_history_regions(rows->history, track, &row->range_count);

	return track->regions > 0;
}

/**
 * Prints the rows.
 * @param summary true: print the columns of the summary, and the titles of those without room
 */
static void print_rows(const struct watch_run *run, const struct watch_history *history,
                       const struct watch_view *view, bool summary, struct out *out)
{
	const struct watch_columns *chosen = &run->options->columns;
	struct text dropped = { 0 };
	enum watch_column kept[WATCH_COLUMNS];
	struct table_column columns[WATCH_COLUMNS];
	struct rows rows = { .history = history, .view = view, .columns = kept };
	struct table table = {
		.columns = columns,
		.rows = view->row_count,
		.titles = true,
		.open_end = true,
		.context = &rows,
		.cell = cell,
		.style = style,
	};
	size_t next = 0;

	table.column_count = watch_columns_choose(chosen, view, summary, kept);
	do {
		for (size_t i = 0; i < table.column_count; i++)
			columns[i] = watch_format_columns[kept[i]];
	} while (!numbered_table_fits(&table, out) &&
	         watch_columns_drop(chosen, kept, &table.column_count, &next, &dropped));

	numbered_table_print(&table, identify, out);
	if (summary && dropped.length > 0) {
		out_string(out, "\xe2\x80\xa6 no room for ");
		text_char(&dropped, '\n');
		out_text(out, &dropped);
	}

	text_deinit(&dropped);
}

/** Prints a row for each owner, in the order of the view. */
static void print_owners(const struct watch_history *history, const struct watch_view *view,
                         bool summary, struct out *out)
{
	static const enum watch_column shown[] = { WATCH_KIND, WATCH_RSS,     WATCH_GROWTH,
		                                   WATCH_RATE, WATCH_VERDICT, WATCH_MAPPING };
	enum { SHOWN = sizeof shown / sizeof *shown };
	struct watch_sums owners;
	struct table_column columns[SHOWN];
	enum watch_column kept[SHOWN];
	size_t widths[TABLE_COLUMNS_MAX];

	if (!history->owners_known) {
		out_string(out, "the owners of the memory are not known\n");
		return;
	}
	if (!summary && !history->owners_fresh)
		return;

	for (size_t i = 0; i < SHOWN; i++) {
		kept[i] = shown[i] == WATCH_GROWTH && !summary ? WATCH_DELTA : shown[i];
		columns[i] = watch_format_columns[kept[i]];
	}
	columns[0].title = "OWNER";
	columns[SHOWN - 1].title = "WHAT";

	watch_view_sum_owners(&owners, history, view->sort);
	struct watch_view by_owner = { .rows = owners.rows,
		                       .row_count = pm_min_size(owners.count, view->top),
		                       .bytes = view->bytes };
	struct rows rows = { .history = history, .view = &by_owner, .columns = kept };
	const struct table table = { .columns = columns,
		                     .column_count = SHOWN,
		                     .rows = by_owner.row_count,
		                     .titles = true,
		                     .open_end = true,
		                     .context = &rows,
		                     .cell = cell,
		                     .style = style };

	table_measure(&table, widths);
	table_print(&table, widths, out);
	if (by_owner.row_count < owners.count)
		out_format(out, "\xe2\x80\xa6 %zu more owners (to see them: --top)\n",
		           owners.count - by_owner.row_count);
}

/**
 * Prints the strings of new pages.
 * @param since time of the oldest sample whose strings are printed, in seconds
 */
static void print_peeks(const struct peek *peek, const struct watch_view *view, double since,
                        struct out *out)
{
	for (size_t i = 0; i < view->row_count; i++) {
		const struct peek_result *found = peek_found(peek, &view->rows[i]);

		if (found && found->time >= since)
			peek_print(found, &view->rows[i], out);
	}
}

void watch_print(const struct watch_run *run, const struct watch_history *history,
                 const struct watch_view *view, struct out *out)
{
	struct text line = { 0 };

	delta_put_time(&line, history->sample.wall_ns);
	text_string(&line, "  ");
	watch_format_rss(history, view->bytes, &line);
	watch_format_parts(history, view->bytes, &line);
	watch_format_limit(history, view->bytes, &line);
	watch_format_cost(history, &line);
	watch_format_age(history, &line);
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);

	if (run->options->by_owner)
		print_owners(history, view, false, out);
	else if (view->row_count > 0)
		print_rows(run, history, view, false, out);
	print_peeks(run->peek, view, history->sample.time, out);
	if (watch_heap_walked(run->heap))
		watch_heap_print(run->heap, &history->memory.trend, run->options->top, view->bytes,
		                 out);
	out_string(out, "\n");
}

/**
 * Replaces a text by the reason of the verdict on the growth of a row. If the verdict on the number
 * of its regions has another reason, that verdict and its reason are added.
 */
static void put_reason(const struct watch_row *row, struct text *text)
{
	text_clear(text);
	text_string(text, row->trend.reason);
	if (*row->count_trend.reason && strcmp(row->count_trend.reason, row->trend.reason) != 0)
		text_format(text, "; the number of regions: %s, %s",
		            pm_verdict_name(row->count_trend.verdict), row->count_trend.reason);
	text_terminate(text);
}

/**
 * Checks whether the reason of a row can be omitted: it is too early for a verdict on the row, and
 * the first line of the summary gives the same reason for the whole process.
 */
static bool is_reported(const struct watch_history *history, const struct watch_row *row)
{
	const char *reason = history->memory.trend.reason;
	bool same = row->trend.verdict == PM_VERDICT_TOO_EARLY &&
	            strcmp(row->trend.reason, reason) == 0;
	return same && (!*row->count_trend.reason || strcmp(row->count_trend.reason, reason) == 0);
}

/** Rows whose verdicts have the same reason. */
struct reason {
	struct text words;
	struct text rows; /* the addresses of the rows, separated by commas */
};

/**
 * Finds the element of a list that has a reason. If there is none, an element for this reason is
 * added.
 */
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

/**
 * Prints each reason of a verdict once, with the addresses of all rows whose verdicts have this
 * reason.
 */
static void print_reasons(const struct watch_history *history, const struct watch_view *view,
                          struct out *out)
{
	struct text words = { 0 };
	struct reason *reasons = NULL;
	size_t count = 0;

	for (size_t i = 0; i < view->row_count; i++) {
		const struct watch_row *row = &view->rows[i];
		if (is_reported(history, row))
			continue;
		put_reason(row, &words);
		struct text *rows = &find_reason(&reasons, &count, &words)->rows;
		if (rows->length > 0)
			text_string(rows, ", ");
		text_hex(rows, row->track->start, 1);
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

/**
 * Adds the growth and the verdict of each kind that grew. The verdict on a kind can differ from the
 * verdicts on its rows: the regions of a kind can grow steadily together although each row grows
 * too irregularly for that verdict.
 */
static void add_kinds(const struct watch_history *history, const struct watch_view *view,
                      struct text *line)
{
	struct watch_sums kinds;
	const char *before = "by kind: ";

	watch_view_sum_kinds(&kinds, history, view->sort);
	for (size_t i = 0; i < kinds.count; i++) {
		const struct watch_row *row = &kinds.rows[i];
		if (row->growth <= 0)
			continue;

		text_format(line, "%s%s ", before, pm_kind_name(row->track->kind));
		before = ", ";
		delta_put_bytes(line, row->growth, view->bytes);
		if (pm_trend_growth_rate(&row->trend) > 0) {
			text_char(line, ' ');
			watch_verdict_rate(&row->trend, line);
		}
		text_format(line, " %s", pm_verdict_name(row->trend.verdict));
	}

	if (*before == ',')
		text_char(line, '\n');
}

/** Returns whether a row has grown, and may grow on. */
static bool is_growing(const struct watch_row *row)
{
	enum pm_verdict verdict = row->trend.verdict;

	return row->growth > 0 && verdict != PM_VERDICT_NO_GROWTH &&
	       verdict != PM_VERDICT_PLATEAU && verdict != PM_VERDICT_SHRINKING;
}

/**
 * Adds the growth and the verdict of each owner that grew, and the runtimes that did not: what
 * a leak is not in.
 * @param asked  the user wants to know who manages the memory; otherwise the line is left out if
 *               the process has no runtime
 */
static void add_owners(const struct watch_history *history, const struct watch_view *view,
                       bool asked, struct text *line)
{
	struct watch_sums owners;
	struct text acquitted = { 0 };
	const char *before = "by owner: ";
	const size_t start = line->length;
	bool has_runtime = false;

	watch_view_sum_owners(&owners, history, view->sort);
	for (size_t i = 0; i < owners.count; i++) {
		const struct watch_row *row = &owners.rows[i];
		bool runtime;

		owner_text_part(row->track->owner, &runtime);
		has_runtime = has_runtime || runtime;
		if (!is_growing(row)) {
			if (runtime && row->trend.verdict != PM_VERDICT_TOO_EARLY)
				text_format(&acquitted, "%s%s", acquitted.length ? ", " : "",
				            row->label);
			continue;
		}

		text_format(line, "%s%s ", before, row->label);
		before = ", ";
		delta_put_bytes(line, row->growth, view->bytes);
		if (pm_trend_growth_rate(&row->trend) > 0) {
			text_char(line, ' ');
			watch_verdict_rate(&row->trend, line);
		}
		text_format(line, " %s", pm_verdict_name(row->trend.verdict));
	}

	if (acquitted.length > 0) {
		text_format(line, "%snot growing: ", *before == ',' ? "; " : before);
		text_bytes(line, acquitted.bytes, acquitted.length);
	}
	if (line->length > start)
		text_char(line, '\n');
	if (!asked && !has_runtime)
		line->length = start;
	text_deinit(&acquitted);
}

/** Adds the growth since the baseline. */
static void add_growth(const struct watch_history *history, bool bytes, struct text *line)
{
	uint64_t rss = history->sample.totals.rss;
	char duration[PM_DURATION_TEXT_SIZE];

	text_string(line, ", growth ");
	delta_put_bytes(line, (int64_t)(rss - history->first.rss), bytes);
	if (history->based > history->began) {
		pm_format_duration(history->sample.time - history->based, duration);
		text_format(line, " in the last %s", duration);
	}
}

/** Adds the first line of the summary: the process, its growth, and its limits. */
static void add_process(const struct watch_run *run, const struct watch_history *history,
                        bool bytes, struct text *line)
{
	const struct pm_process_id *process = &run->process;
	uint64_t rss = history->sample.totals.rss, samples = history->samples;
	char duration[PM_DURATION_TEXT_SIZE];

	pm_format_duration(history->sample.time - history->began, duration);
	utf8_escape(line, process->comm, strlen(process->comm));
	text_format(line, " (%d) for %s, %" PRIu64 " sample%s: RSS ", (int)process->pid, duration,
	            samples, samples == 1 ? "" : "s");
	watch_format_size(rss, bytes, line);

	/* If nothing changed, the verdict says so. */
	bool same = rss == history->first.rss;
	if (!same || history->memory.trend.verdict != PM_VERDICT_NO_GROWTH)
		add_growth(history, bytes, line);

	text_string(line, ", ");
	watch_verdict_headline(history, bytes, line);
	watch_format_limit(history, bytes, line);
	text_char(line, '\n');
}

/** Adds the command that shows what of a lot of memory is not used, if the memory does not grow. */
static void add_stale(const struct watch_run *run, const struct watch_history *history,
                      struct text *line)
{
	enum pm_verdict verdict = history->memory.trend.verdict;

	if (run->replay || run->failure.kind != PM_ERROR_NONE ||
	    history->sample.totals.rss < rss_high ||
	    (verdict != PM_VERDICT_NO_GROWTH && verdict != PM_VERDICT_PLATEAU))
		return;
	text_format(line,
	            "not growing: procmem stale --for 60s %d shows how much of it is not used\n",
	            (int)run->process.pid);
}

/** Prints the rows of the summary. */
static void print_all_rows(const struct watch_run *run, const struct watch_history *history,
                           const struct watch_view *view, struct out *out)
{
	if (run->options->by_owner) {
		print_owners(history, view, true, out);
	} else if (view->row_count == 0) {
		out_string(out, "no region changed\n");
	} else {
		print_rows(run, history, view, true, out);
		print_peeks(run->peek, view, 0, out);
		print_reasons(history, view, out);
	}
}

void watch_print_summary(const struct watch_run *run, const struct watch_history *history,
                         const struct watch_view *view, struct out *out)
{
	struct text line = { 0 };

	add_process(run, history, view->bytes, &line);
	if (view->row_count > 1 && !run->options->by_owner)
		add_kinds(history, view, &line);
	add_owners(history, view, run->options->by_owner, &line);
	if (watch_format_fills_outside(history) && !run->replay)
		text_format(&line,
		            "the cgroup grows outside of the memory of %d; what grows: procmem "
		            "cgroup --for 10s %d\n",
		            (int)run->process.pid, (int)run->process.pid);
	if (watch_around_describe(run->around, &line))
		text_string(&line, " (all of them: procmem watch --children or --cgroup)\n");
	add_stale(run, history, &line);

	if (run->ended)
		text_format(&line, "ended: %s\n", run->ended);
	if (history->stopped > 0)
		text_format(&line,
		            "stopped: a signal or a debugger had stopped the process at %" PRIu64
		            " of %" PRIu64
		            " samples: a stopped process cannot grow, so the verdicts do not apply "
		            "to the process when it runs\n",
		            history->stopped, history->samples);
	out_wrapped(out, &line, 2);

	/* After a live screen, omit the conditions that were met: the screen has printed its list
	 * of events when it closed. */
	if (!run->options->live)
		out_wrapped(out, &run->firings, 4);

	text_clear(&line);
	watch_format_cost(history, &line);
	watch_format_age(history, &line);
	if (line.length > 0)
		text_char(&line, '\n');
	out_text(out, &line);
	text_deinit(&line);

	print_all_rows(run, history, view, out);
	if (run->heap)
		watch_heap_print(run->heap, &history->memory.trend, run->options->top, view->bytes,
		                 out);
}
