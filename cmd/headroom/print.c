/* SPDX-License-Identifier: MIT */
#include "headroom/print.h"

#include <string.h>

#include <procmem/number.h>

#include "base/delta.h"
#include "base/minmax.h"
#include "base/utf8.h"
#include "headroom/answer.h"
#include "headroom/members.h"
#include "target/first_limit.h"
#include "target/growth_text.h"
#include "view/table.h"

enum { LIMIT, MAX, USED, CACHE, LEFT, LASTS, SOURCE, LIMIT_COLUMNS };
enum { KIND, COUNT, WEIGHT, SHARE, KIND_COLUMNS };

/* Minimum width of the column SOURCE, in terminal columns. */
enum { SOURCE_MIN = 8 };

static const struct table_column limit_columns[LIMIT_COLUMNS] = {
	{ .title = "LIMIT" },
	{ .title = "MAX", .right = true },
	{ .title = "USED", .right = true },
	{ .title = "CACHE", .right = true },
	{ .title = "LEFT", .right = true },
	{ .title = "LASTS", .right = true },
	{ .title = "SOURCE", .style = OUT_DIM },
};

static const struct table_column kind_columns[KIND_COLUMNS] = {
	{ .title = "KIND" },
	{ .title = "COUNT", .right = true },
	{ .title = "RSS+SWAP", .right = true },
	{ .title = "", .right = true }, /* share_title() */
};

/**
 * Adds the time until a limit is reached, or the verdict on the usage if the time is not known. An
 * estimated time begins with "~".
 */
static void put_lasts(const struct headroom_report *report, const struct pm_limit *limit,
                      const struct forecast *forecast, struct text *text)
{
	const struct headroom_rates *rates = report->rates;
	bool early = forecast->trend.verdict == PM_VERDICT_TOO_EARLY;
	struct forecast_time time = forecast_time(forecast);
	char duration[PM_DURATION_TEXT_SIZE];

	if (time.known) {
		pm_format_duration(time.seconds, duration);
		text_format(text, "%s%s", time.estimate ? "~" : "", duration);
	} else if (limit->counts && rates->recorded && early &&
	           rates->trend.verdict != PM_VERDICT_TOO_EARLY) {
		/* A recording has these numbers only for a few samples. */
		text_string(text, "rarely recorded");
	} else if (forecast->measured) {
		text_string(text, pm_verdict_name(forecast->trend.verdict));
	} else if (pm_limit_has_garbage(limit->kind) && rates->known) {
		text_string(text, "not known");
	} else {
		text_char(text, '-');
	}
}

/** Adds the time for which the memory of the machine lasts at the rate of the process. */
static void put_rate(const struct forecast_time *time, struct text *text)
{
	char duration[PM_DURATION_TEXT_SIZE];

	pm_format_duration(time->seconds, duration);
	text_format(text, "; at this process's rate about %s", duration);
}

/** Adds what happens at a limit of a runtime, and that garbage is counted. */
static void put_effect(const struct pm_limit *limit, struct text *text)
{
	text_format(text, ": %s", first_limit_effect(limit->kind));
	if (pm_limit_has_garbage(limit->kind))
		text_string(text, "; USED includes garbage");
}

static bool is_of_group(const struct pm_limit *limit)
{
	return limit->kind == PM_LIMIT_CGROUP || limit->kind == PM_LIMIT_CGROUP_WORKING_SET ||
	       limit->kind == PM_LIMIT_CGROUP_HIGH || limit->kind == PM_LIMIT_PIDS;
}

/**
 * Adds the file in which a limit is set. If there are too few columns for that of a cgroup, adds
 * the end of the path of the cgroup: its start is often the same for all cgroups.
 */
static void put_file(const struct pm_limit *limit, size_t columns, struct text *text)
{
	const char *slash = strrchr(limit->source, '/');
	size_t length = strlen(limit->source);

	if (is_of_group(limit) && slash && utf8_columns(limit->source, length) > columns)
		utf8_escape_end(text, limit->source, (size_t)(slash - limit->source), columns);
	else
		utf8_escape(text, limit->source, length);
}

/**
 * Adds where a limit comes from and, if LASTS is not the time of the limit itself, whose it is.
 * @param columns  number of terminal columns for the text; SIZE_MAX if it is not limited
 */
static void put_source(const struct headroom_report *report, const struct pm_limit *limit,
                       const struct forecast *forecast, size_t columns, struct text *text)
{
	put_file(limit, columns, text);
	if (limit->exempt && report->info->uid == 0)
		text_string(text, " (does not apply to root)");
	else if (limit->exempt)
		text_string(text, " (does not apply to this privileged process)");
	else if (pm_limit_is_of_runtime(limit->kind))
		put_effect(limit, text);
	else if (limit->approximate && limit->kind == PM_LIMIT_PID_MAX)
		text_string(text, " (a PID namespace can have a limit of its own)");
	else if (limit->approximate)
		text_string(text, " (not all processes of the user are visible)");

	if (forecast->time.known && forecast->by_process.known) {
		text_string(text, "; at the machine's own rate");
		put_rate(&forecast->by_process, text);
	} else if (forecast->by_process.known) {
		text_string(text, "; at this process's rate");
	} else if (forecast->beneath.known) {
		text_string(text, "; at the rate of ");
		growth_text_put_name(report->rates->beneath, text);
	}
}

/** The data of the table of limits. */
struct limits_view {
	const struct headroom_report *report;
	bool narrow; /* the table has no column CACHE */
	size_t room; /* width of the column SOURCE, in terminal columns; SIZE_MAX: not limited */
};

static void limit_cell(void *context, size_t row, size_t column, struct text *text)
{
	const struct limits_view *view = context;
	const struct headroom_report *report = view->report;
	const struct pm_limit *limit = &report->headroom.limits[row];
	const struct forecast *forecast = &report->forecasts[row];

	if (view->narrow && column >= CACHE)
		column++;
	if ((limit->exempt || limit->used_unknown) && column != LIMIT && column != MAX &&
	    column != SOURCE) {
		text_char(text, '-');
		return;
	}

	switch (column) {
	case LIMIT:
		text_string(text, pm_limit_name(limit->kind));
		break;
	case MAX:
		headroom_answer_amount(report, limit, limit->max, text);
		break;
	case USED:
		if (limit->approximate && limit->used > 0)
			text_char(text, '~');
		headroom_answer_amount(report, limit, limit->used, text);
		break;
	case CACHE:
		headroom_answer_amount(report, limit, limit->reclaimable, text);
		break;

	case LEFT:
		if (limit->approximate && pm_limit_left(limit) > 0)
			text_char(text, '~');
		headroom_answer_amount(report, limit, pm_limit_left(limit), text);
		break;
	case LASTS:
		put_lasts(report, limit, forecast, text);
		break;
	default:
		put_source(report, limit, forecast, view->room, text);
	}
}

size_t headroom_print_order(const struct headroom_report *report, enum pm_kind *order)
{
	size_t count = 0;
	for (int kind = 0; kind < PM_KIND_COUNT; kind++) {
		if (report->weights[kind] == 0)
			continue;
		size_t at = count++;
		for (; at > 0 && report->weights[order[at - 1]] < report->weights[kind]; at--)
			order[at] = order[at - 1];
		order[at] = (enum pm_kind)kind;
	}

	return count;
}

/** The data of the table of kinds. */
struct kinds_view {
	const struct headroom_report *report;
	const struct pm_limit *limit; /* memory limit; NULL if there is none */
	enum pm_kind order[PM_KIND_COUNT];
	size_t count;
};

static void kind_cell(void *context, size_t row, size_t column, struct text *text)
{
	const struct kinds_view *view = context;
	const struct headroom_report *report = view->report;
	uint64_t weight = 0, count = 0;
	for (size_t i = 0; i < view->count; i++) {
		if (row != TABLE_TOTAL && row != i)
			continue;
		weight += report->weights[view->order[i]];
		count += report->counts[view->order[i]];
	}

	if (column == KIND)
		text_string(text, row == TABLE_TOTAL ? "total" : pm_kind_name(view->order[row]));
	else if (column == COUNT)
		text_decimal(text, count);
	else if (column == WEIGHT && report->options->output.bytes)
		text_decimal(text, weight);
	else if (column == WEIGHT)
		text_size(text, weight);
	else if (view->limit && view->limit->max > 0)
		text_format(text, "%.1f%%", (double)weight * 100 / (double)view->limit->max);
}

static void print_events(const struct headroom_report *report, struct out *out)
{
	const struct pm_limit_events *events = &report->headroom.events;
	const struct pm_pressure *pressure = &report->headroom.pressure;

	if (events->known) {
		out_format(out, "events: oom_kill %llu, limit reached %llu",
		           (unsigned long long)events->oom_kill, (unsigned long long)events->max);
		if (report->headroom.cgroup_version == 2)
			out_format(out, ", high %llu, oom %llu", (unsigned long long)events->high,
			           (unsigned long long)events->oom);
		out_string(out, "\n");
	}

	if (pressure->known)
		out_wrapped_format(out, 2,
		                   "memory pressure (PSI)%s: last 10 s: some %.2f%%, full %.2f%%; "
		                   "last 60 s: some %.2f%%, full %.2f%%\n",
		                   pressure->machine ? " of the machine" : "", pressure->some10,
		                   pressure->full10, pressure->some60, pressure->full60);

	if (report->rates->ended)
		return;

	int pid = (int)report->info->pid;
	out_wrapped_format(out, 2,
	                   "more: procmem pressure %d (what waits), procmem cgroup %d (what fills "
	                   "the group)\n",
	                   pid, pid);
}

/** Reports that limits of cgroups are not known, because the cgroups are not visible. */
static void print_hidden(const struct headroom_report *report, struct out *out)
{
	switch (report->headroom.cgroup_view) {
	case PM_CGROUP_HIDDEN:
		out_wrapped_format(out, 2,
		                   "limits of its cgroup are not known: the cgroup is not visible "
		                   "from here (run procmem on the host, or mount its "
		                   "/sys/fs/cgroup)\n");
		break;
	case PM_CGROUP_ANCESTORS_HIDDEN:
		out_wrapped_format(
			out, 2,
			"limits of outer cgroups are not known: only the cgroups of this "
			"container are visible from here\n");
		break;
	case PM_CGROUP_VISIBLE:
		break;
	}
}

/**
 * What fits on the screen. If the terminal has too few lines, the pressure and the events are left
 * out first, then kinds, then limits. The answer always fits.
 */
struct fit {
	size_t limits; /* rows of the table of limits */
	size_t kinds;  /* rows of the table of kinds without the total; 0 if it is left out */
	bool rest;     /* the other lines about limits are printed */
	bool events;   /* the events and the pressure are printed */
	bool all;      /* everything fits */
};

/** Lines that the parts of the output need. */
struct lines {
	size_t answer, rest, events;
};

/* Lines of the tables without the rows: the titles and the note on the width; a blank line, the
 * titles and the total. */
enum { LIMITS_FRAME = 2, KINDS_FRAME = 3 };

/** Widest note on what is left out, in columns. */
enum { NOTE_COLUMNS = 72 };

/** Returns the smaller number of rows: those that there are, or those for which there is room. */
static size_t fit_rows(size_t rows, size_t room, size_t frame)
{
	return room > frame ? pm_min_size(rows, room - frame) : 0;
}

static struct fit fit_screen(const struct lines *lines, size_t limits, size_t kinds,
                             const struct out *out)
{
	struct fit fit = {
		.limits = limits, .kinds = kinds, .rest = true, .events = true, .all = true
	};
	size_t room = out->height;
	size_t all = lines->answer + lines->rest + lines->events + LIMITS_FRAME + limits +
	             KINDS_FRAME + kinds;

	/* The prompt needs a line, too. */
	if (!out->terminal || all < room)
		return fit;

	size_t used = lines->answer + 2 + NOTE_COLUMNS / pm_max_size(out->width, 1);
	room = room > used ? room - used : 0;
	fit = (struct fit){ .rest = room >= lines->rest };
	if (fit.rest)
		room -= lines->rest;

	fit.limits = fit_rows(limits, room, LIMITS_FRAME);
	if (fit.limits > 0)
		room -= fit.limits + LIMITS_FRAME;
	if (fit.limits == limits)
		fit.kinds = fit_rows(kinds, room, KINDS_FRAME);

	return fit;
}

/** Adds a number of rows that are left out. */
static void add_left_out(struct text *line, size_t count, const char *what)
{
	if (count > 0)
		text_format(line, "%zu %s%s, ", count, what, text_plural(count));
}

/** Says what is left out because the terminal has too few lines. */
static void print_left_out(const struct fit *fit, size_t limits, size_t kinds, struct out *out)
{
	struct text line = { 0 };

	if (fit->all)
		return;

	text_string(&line, "\xe2\x80\xa6 no room for ");
	add_left_out(&line, limits - fit->limits, "limit");
	add_left_out(&line, kinds - fit->kinds, "kind");
	text_string(&line, "events; a pager shows all: | less\n");
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/** Sets the width of the last column, SOURCE. */
static void set_room(struct limits_view *view, const struct table *limits, const size_t *widths,
                     const struct out *out)
{
	size_t offset = table_offset(limits, widths, limits->column_count - 1);

	if (out->width != SIZE_MAX)
		view->room = pm_max_size(SOURCE_MIN, excess_size(out->width, offset));
}

/** Prints the table of limits. If the terminal is too narrow, the column CACHE is left out. */
static void print_limits(const struct headroom_report *report, size_t rows, struct out *out)
{
	struct limits_view view = { .report = report, .room = SIZE_MAX };
	size_t widths[TABLE_COLUMNS_MAX];
	struct table limits = {
		.columns = limit_columns,
		.column_count = LIMIT_COLUMNS,
		.rows = rows,
		.titles = true,
		.open_end = true,
		.context = &view,
		.cell = limit_cell,
	};

	table_measure(&limits, widths);
	if (out->width < table_offset(&limits, widths, SOURCE) + SOURCE_MIN) {
		struct table_column columns[LIMIT_COLUMNS];
		memcpy(columns, limit_columns, CACHE * sizeof *columns);
		memcpy(columns + CACHE, limit_columns + CACHE + 1,
		       (LIMIT_COLUMNS - CACHE - 1) * sizeof *columns);

		view.narrow = true;
		limits.columns = columns;
		limits.column_count--;
		table_measure(&limits, widths);
		set_room(&view, &limits, widths, out);
		table_print(&limits, widths, out);
		out_string(out, "\xe2\x80\xa6 no room for CACHE\n");
		return;
	}

	set_room(&view, &limits, widths, out);
	table_print(&limits, widths, out);
}

static void print_table(struct table *table, struct out *out)
{
	size_t widths[TABLE_COLUMNS_MAX];
	table_measure(table, widths);
	table_print(table, widths, out);
}

/** Returns the title of the column of shares, which names the limit. */
static const char *share_title(const struct pm_limit *limit)
{
	if (!limit)
		return "";

	return limit->kind == PM_LIMIT_SYSTEM ? "OF MACHINE" : "OF CGROUP LIMIT";
}

/** Prints the table of kinds. */
static void print_kinds(const struct kinds_view *view, size_t rows, struct out *out)
{
	struct table_column columns[KIND_COLUMNS];
	struct kinds_view shown = *view;
	struct table kinds = {
		.columns = columns,
		.column_count = KIND_COLUMNS,
		.rows = rows,
		.titles = true,
		.total = true,
		.context = &shown,
		.cell = kind_cell,
	};

	memcpy(columns, kind_columns, sizeof columns);
	columns[SHARE].title = share_title(view->limit);
	out_string(out, "\n");
	print_table(&kinds, out);
}

/** Prints the lines between the two tables. */
static void print_rest(const struct headroom_report *report, struct out *out)
{
	print_hidden(report, out);
	headroom_members_print(report, out);
}

/**
 * Prints a part of the results into a buffer, and counts its lines.
 *
 * @param part   filled; append its buffer to the output and release it
 * @param print  prints the part
 * @return       number of lines
 */
static size_t print_part(const struct headroom_report *report, const struct out *out,
                         struct out *part,
                         void (*print)(const struct headroom_report *report, struct out *out))
{
	size_t lines = 0;

	*part = *out;
	part->buffer = (struct text){ 0 };
	print(report, part);
	for (size_t i = 0; i < part->buffer.length; i++)
		lines += part->buffer.bytes[i] == '\n';

	return lines;
}

void headroom_print(const struct headroom_report *report, struct out *out)
{
	struct kinds_view view = { .report = report,
		                   .limit = pm_headroom_memory(&report->headroom) };
	struct out answer, rest, events;
	size_t limits = report->headroom.count;
	view.count = headroom_print_order(report, view.order);

	const struct lines lines = {
		.answer = print_part(report, out, &answer, headroom_answer_print),
		.rest = print_part(report, out, &rest, print_rest),
		.events = print_part(report, out, &events, print_events),
	};
	struct fit fit = fit_screen(&lines, limits, view.count, out);

	out_text(out, &answer.buffer);
	if (fit.limits > 0)
		print_limits(report, fit.limits, out);
	if (fit.rest)
		out_text(out, &rest.buffer);
	if (fit.kinds > 0)
		print_kinds(&view, fit.kinds, out);
	if (fit.events)
		out_text(out, &events.buffer);
	print_left_out(&fit, limits, view.count, out);

	text_deinit(&answer.buffer);
	text_deinit(&rest.buffer);
	text_deinit(&events.buffer);
}
