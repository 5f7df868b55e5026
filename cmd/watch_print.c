/* SPDX-License-Identifier: MIT */
#include "watch.h"

#include <inttypes.h>

#include "delta.h"
#include "table.h"
#include "utf8.h"

enum column { ADDRESS, RSS, DELTA, GROWTH, RATE, PER_HOUR, PER_DAY, VERDICT, KIND, MAPPING, COLUMNS };

static const struct table_column all_columns[COLUMNS] = {
	[ADDRESS] = { .title = "ADDRESS" },
	[RSS] = { .title = "RSS", .right = true },
	[DELTA] = { .title = "DELTA", .right = true },
	[GROWTH] = { .title = "GROWTH", .right = true },
	[RATE] = { .title = "RATE", .right = true },
	[PER_HOUR] = { .title = "PER HOUR", .right = true },
	[PER_DAY] = { .title = "PER DAY", .right = true },
	[VERDICT] = { .title = "VERDICT" },
	[KIND] = { .title = "KIND", .style = OUT_DIM },
	[MAPPING] = { .title = "MAPPING" },
};

static const enum column now_columns[] = { ADDRESS, RSS, DELTA, GROWTH, RATE, VERDICT, KIND, MAPPING };
static const enum column summary_columns[] = { ADDRESS, RSS, GROWTH, RATE, PER_HOUR, PER_DAY, VERDICT, KIND, MAPPING };

/** A table of rows. */
struct view {
	const struct watch *watch;
	const enum column *columns;
};

void watch_describe(const struct watch_row *row, struct text *text)
{
	const struct pm_track *track = row->track;
	if (track->most_regions > 1 || track->regions == 0) {
		text_format(text, track->regions ? "\xc3\x97%zu" : "gone", track->regions);
		if (row->count_trend.verdict == PM_VERDICT_STEADY)
			text_format(text, " (%+.1f/s)", row->count_trend.rate);
	}
	const char *words[] = { track->mapping, track->detail };
	for (size_t i = 0; i < 2; i++) {
		if (!*words[i])
			continue;
		if (text->length > 0)
			text_char(text, ' ');
		utf8_escape(text, words[i], strlen(words[i]));
	}
}

static void put_size(const struct watch *watch, uint64_t size, struct text *text)
{
	if (watch->options->output.bytes)
		text_decimal(text, size);
	else
		text_size(text, size);
}

/** A rate means something only where the growth goes on; it is extrapolated over an hour or a day only then. */
static void put_over(const struct watch *watch, const struct watch_row *row, double seconds, struct text *text)
{
	if (row->trend.verdict == PM_VERDICT_STEADY || row->trend.verdict == PM_VERDICT_SHRINKING)
		text_delta(text, (int64_t)(row->trend.rate * seconds), watch->options->output.bytes);
	else
		text_char(text, '-');
}

static void put_rate(const struct watch_row *row, struct text *text)
{
	if (row->trend.verdict == PM_VERDICT_STEADY || row->trend.verdict == PM_VERDICT_SHRINKING)
		text_rate(text, row->trend.rate);
	else
		text_char(text, '-');
}

static void cell(void *context, size_t index, size_t which, struct text *text)
{
	const struct view *view = context;
	const struct watch *watch = view->watch;
	const struct watch_row *row = &watch->rows[index];
	switch (view->columns[which]) {
	case ADDRESS:
		text_hex(text, row->track->start, 8);
		text_char(text, '-');
		text_hex(text, row->track->end, 8);
		break;
	case RSS:
		put_size(watch, row->track->weight, text);
		break;
	case DELTA:
		text_delta(text, row->track->delta, watch->options->output.bytes);
		break;
	case GROWTH:
		text_delta(text, row->growth, watch->options->output.bytes);
		break;
	case RATE:
		put_rate(row, text);
		break;
	case PER_HOUR:
		put_over(watch, row, 3600, text);
		break;
	case PER_DAY:
		put_over(watch, row, 86400, text);
		break;
	case VERDICT:
		text_string(text, pm_verdict_name(row->trend.verdict));
		break;
	case KIND:
		text_string(text, pm_kind_name(row->track->kind));
		break;
	default:
		watch_describe(row, text);
	}
}

static enum out_style style(void *context, size_t index, size_t which)
{
	const struct view *view = context;
	const struct watch_row *row = &view->watch->rows[index];
	enum column column = view->columns[which];
	if (column == VERDICT && row->trend.verdict == PM_VERDICT_STEADY)
		return OUT_GROWN;
	if (column == GROWTH)
		return delta_style(row->growth);
	if (column == DELTA)
		return delta_style(row->track->delta);
	return all_columns[column].style;
}

static void print_rows(const struct watch *watch, const enum column *chosen, size_t count, struct out *out)
{
	struct table_column columns[COLUMNS];
	size_t widths[COLUMNS];
	for (size_t i = 0; i < count; i++)
		columns[i] = all_columns[chosen[i]];
	struct view view = { .watch = watch, .columns = chosen };
	struct table table = {
		.columns = columns,
		.column_count = count,
		.rows = watch->row_count,
		.titles = true,
		.open_end = true,
		.context = &view,
		.cell = cell,
		.style = style,
	};
	table_measure(&table, widths);
	table_print(&table, widths, out);
}

static void put_limit(const struct watch *watch, struct text *line)
{
	const struct pm_limit *limit = pm_headroom_memory(&watch->headroom);
	double seconds;
	char duration[PM_DURATION_TEXT_SIZE];
	if (!limit || (limit->kind == PM_LIMIT_SYSTEM && !watch_lasts(watch, &seconds)))
		return;
	text_format(line, "  %s ", limit->kind == PM_LIMIT_SYSTEM ? "machine" : "limit");
	put_size(watch, limit->max, line);
	text_string(line, ": ");
	if (watch_lasts(watch, &seconds)) {
		pm_format_duration(seconds, duration);
		text_format(line, "full in %s", duration);
	} else {
		put_size(watch, pm_limit_left(limit), line);
		text_string(line, " left");
	}
}

static void put_cost(const struct watch *watch, struct text *line)
{
	const struct pm_sample_cost *cost = &watch->sample.cost;
	text_format(line, "cost %.2f%% cpu, map lock \xe2\x89\xa4 %.1fms", cost->share * 100, (double)cost->lock_ns / 1e6);
	if (watch->held_back > 0)
		text_format(line, ", looked less often to keep to the budget (%" PRIu64 " of %" PRIu64 " times not)", watch->held_back, watch->samples);
}

static void put_sizes(const struct watch *watch, struct text *line)
{
	const struct pm_totals *totals = &watch->sample.totals;
	static const char *const names[] = { "  anon ", "  file ", "  shmem ", "  swap " };
	const uint64_t sizes[] = { totals->anon, totals->file, totals->shmem, totals->swap };
	text_string(line, "RSS ");
	put_size(watch, totals->rss, line);
	int64_t delta = (int64_t)(totals->rss - watch->previous.rss);
	if (delta != 0) {
		text_char(line, ' ');
		text_delta(line, delta, watch->options->output.bytes);
	}
	for (size_t i = 0; i < 4; i++) {
		if (sizes[i] == 0)
			continue;
		text_string(line, names[i]);
		put_size(watch, sizes[i], line);
	}
}

void watch_print(const struct watch *watch, struct out *out)
{
	struct text line = { 0 };
	text_time(&line, watch->sample.wall_ns);
	text_string(&line, "  ");
	put_sizes(watch, &line);
	put_limit(watch, &line);
	text_string(&line, "  ");
	put_cost(watch, &line);
	text_char(&line, '\n');
	out_text(out, &line);
	text_deinit(&line);
	if (watch->row_count > 0)
		print_rows(watch, now_columns, sizeof now_columns / sizeof *now_columns, out);
	out_string(out, "\n");
}

/** Why each verdict is what it is. */
static void print_reasons(const struct watch *watch, struct out *out)
{
	for (size_t i = 0; i < watch->row_count; i++) {
		const struct watch_row *row = &watch->rows[i];
		out_format(out, "%" PRIx64 ": %s", row->track->start, row->trend.reason);
		if (*row->count_trend.reason)
			out_format(out, "; the number of regions: %s, %s", pm_verdict_name(row->count_trend.verdict), row->count_trend.reason);
		out_string(out, "\n");
	}
}

void watch_print_summary(const struct watch *watch, struct out *out)
{
	struct text line = { 0 };
	char duration[PM_DURATION_TEXT_SIZE];
	int64_t growth = (int64_t)(watch->sample.totals.rss - watch->first.rss);
	pm_format_duration(watch->sample.time - watch->began, duration);
	utf8_escape(&line, watch->run.comm, strlen(watch->run.comm));
	text_format(&line, " (%d) for %s, %" PRIu64 " samples: RSS ", (int)watch->run.pid, duration, watch->samples);
	put_size(watch, watch->sample.totals.rss, &line);
	text_string(&line, ", growth ");
	text_delta(&line, growth, watch->options->output.bytes);
	text_format(&line, ", %s (%s)", pm_verdict_name(watch->memory_trend.verdict), watch->memory_trend.reason);
	put_limit(watch, &line);
	text_char(&line, '\n');
	if (watch->ended)
		text_format(&line, "ended: %s\n", watch->ended);
	put_cost(watch, &line);
	text_char(&line, '\n');
	out_text(out, &line);
	text_deinit(&line);
	if (watch->row_count == 0) {
		out_string(out, "no region changed\n");
		return;
	}
	print_rows(watch, summary_columns, sizeof summary_columns / sizeof *summary_columns, out);
	print_reasons(watch, out);
}
