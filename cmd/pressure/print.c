/* SPDX-License-Identifier: MIT */
#include "pressure/print.h"

#include <limits.h>
#include <string.h>

#include <procmem/number.h>

#include "base/convert.h"
#include "base/minmax.h"
#include "base/utf8.h"
#include "pressure/kills.h"
#include "pressure/words.h"
#include "view/table.h"

enum { LEVEL, UTILISATION, SATURATION, ERRORS, COLUMNS };

/** Smallest width of the names of levels on a terminal. They get what the other columns leave. */
enum { LEVEL_WIDTH_MIN = 16 };

/** Number of signs that the text has; --json has all. */
enum { SIGNS_SHOWN = 12 };

static const struct table_column columns[COLUMNS] = {
	[LEVEL] = { .title = "LEVEL" },
	[UTILISATION] = { .title = "UTILISATION" },
	[SATURATION] = { .title = "SATURATION" },
	[ERRORS] = { .title = "ERRORS" },
};

/** The data of the table. */
struct levels_view {
	const struct pressure_report *report;
	size_t level_width; /* maximum width of a name */
};

static void level_cell(void *context, size_t row, size_t column, struct text *text)
{
	const struct levels_view *view = context;
	const struct pressure_report *report = view->report;

	switch (column) {
	case LEVEL:
		pressure_words_put_path(report->reading.levels[row].name, view->level_width, text);
		break;
	case UTILISATION:
		pressure_words_put_cell(report, row, PM_PRESSURE_UTILISATION, text);
		break;
	case SATURATION:
		pressure_words_put_cell(report, row, PM_PRESSURE_SATURATION, text);
		break;
	default:
		pressure_words_put_cell(report, row, PM_PRESSURE_ERRORS, text);
	}
}

/**
 * Returns how near a level is to the target: 0 for it and its own cgroup, 1 for the cgroups above.
 * Without a target all levels are as near.
 */
static int distance(const struct pressure_report *report, size_t level)
{
	size_t own = report->reading.gone ? 0 : 1;

	if (!report->has_target)
		return 0;
	if (report->reading.levels[level].scope == PM_PRESSURE_PROCESS)
		return 0;
	if (report->reading.levels[level].scope != PM_PRESSURE_CGROUP)
		return 2;
	return level == own ? 0 : 1;
}

/** The signs of the first line. */
struct first_signs {
	const struct pm_sign *now;  /* the gravest one that is not PM_SIGN_OOM_RECENT, or NULL */
	const struct pm_sign *past; /* the first PM_SIGN_OOM_RECENT, or NULL */
	uint64_t past_kills;        /* number of kills of all PM_SIGN_OOM_RECENT */
	size_t past_count;          /* number of levels with PM_SIGN_OOM_RECENT */
};

/**
 * Finds the signs of the first line: those of the target and its own cgroup, or else of the cgroups
 * above, or else of the machine. Signs are in the order of their gravity.
 */
static struct first_signs find_first(const struct pressure_report *report)
{
	struct first_signs first = { 0 };
	int nearest = INT_MAX;

	for (size_t i = 0; i < report->signs.count; i++)
		nearest = pm_min_int(nearest, distance(report, report->signs.items[i].level));

	for (size_t i = 0; i < report->signs.count; i++) {
		const struct pm_sign *sign = &report->signs.items[i];
		uint64_t kills = convert_uint64(sign->value);
		if (distance(report, sign->level) != nearest)
			continue;

		if (sign->rule != PM_SIGN_OOM_RECENT) {
			first.now = first.now ? first.now : sign;
			continue;
		}
		/* The cgroups above a target may have some kills in common. */
		first.past = first.past ? first.past : sign;
		first.past_count++;
		first.past_kills = report->reading.top ? first.past_kills + kills
		                                       : pm_max(first.past_kills, kills);
	}
	return first;
}

/** Returns whether nothing of a cgroup is known. */
static bool is_unread(const struct pm_pressure_level *level)
{
	if (level->scope != PM_PRESSURE_CGROUP)
		return false;
	for (int i = 0; i < PM_PRESSURE_FIELDS; i++)
		if (level->known[i])
			return false;
	return true;
}

/** Returns the number of cgroups of which nothing is known. */
static size_t count_unread(const struct pressure_report *report)
{
	size_t count = 0;
	for (size_t i = 0; i < report->reading.count; i++)
		count += is_unread(&report->reading.levels[i]);
	return count;
}

/** Returns whether PSI is known on any level. */
static bool knows_stalls(const struct pressure_report *report)
{
	for (size_t i = 0; i < report->reading.count; i++)
		if (report->reading.levels[i].known[PM_PRESSURE_SOME_AVG10])
			return true;
	return false;
}

/** Returns whether the log has all kills of the last hour, with their groups. */
static bool knows_groups(const struct pressure_report *report)
{
	const struct pm_oom_log *log = &report->log;

	if (!pressure_kills_are_complete(report) || report->view != PM_CGROUP_VISIBLE)
		return false;
	for (size_t i = 0; i < log->count; i++)
		if (!*log->kills[i].group)
			return false;
	return true;
}

/** Returns the width for the name of a level in the first line. The lines below have more of it. */
static size_t first_width(const struct out *out)
{
	return out->width < SIZE_MAX ? pm_max_size(LEVEL_WIDTH_MIN, out->width / 4) : SIZE_MAX;
}

/** Adds the kills that the kernel has counted in a cgroup, but that are not recent. */
static void put_old_kills(const struct pressure_report *report, size_t width, struct text *line)
{
	for (size_t i = 0; i < report->reading.count; i++) {
		const struct pm_pressure_level *level = &report->reading.levels[i];
		uint64_t count = level->values[PM_PRESSURE_OOM_KILL];
		if (level->scope != PM_PRESSURE_CGROUP || count == 0)
			continue;

		text_format(line, "; %llu OOM kill%s in ", (unsigned long long)count,
		            text_plural(count));
		pressure_words_put_path(level->name, width, line);
		text_string(line, knows_groups(report) ? " before the last hour"
		                                       : " at a time that is not known");
		return;
	}
}

/** Adds the answer if no threshold is crossed. */
static void put_calm(const struct pressure_report *report, size_t width, struct text *line)
{
	text_string(line, "calm");
	if (count_unread(report) > 0)
		text_string(line, " as far as is known (not all cgroups can be read)");
	else if (!knows_stalls(report))
		text_string(line, " as far as is known (the kernel has no PSI here)");

	size_t elsewhere = report->reading.top ? pressure_kills_elsewhere(report) : 0;
	if (elsewhere > 0) {
		text_string(line, "; ");
		pressure_kills_put_recent(report, elsewhere, line);
		text_string(line, " in groups not listed here");
	}
	put_old_kills(report, width, line);
}

/** Adds a sign, with its level. */
static void put_sign(const struct pressure_report *report, const struct pm_sign *sign, size_t width,
                     struct text *line)
{
	static const char *const words[] = { "nearly full", "waits", "fails" };
	const struct pm_pressure_level *level = &report->reading.levels[sign->level];

	text_string(line, sign->rule == PM_SIGN_OOM_RECENT ? "failed"
	                                                   : words[pm_sign_of(sign->rule)->part]);
	text_string(line, ": ");
	if (level->scope != PM_PRESSURE_PROCESS) {
		pressure_words_put_path(level->name, width, line);
		text_string(line, ": ");
	}
	pressure_words_put_sign(report, sign, line);
}

/** Adds the answer: what is now, and what was in the last hour. */
static void put_answer(const struct pressure_report *report, size_t width, struct text *line)
{
	struct first_signs first = find_first(report);

	if (!first.now && !first.past) {
		put_calm(report, width, line);
		return;
	}

	if (first.past && first.now && first.now->rule != PM_SIGN_OOM_KILL) {
		pressure_kills_put_recent(report, first.past_kills, line);
		text_string(line, "; ");
	}

	if (!first.now && report->reading.top && first.past_count > 1) {
		text_string(line, "failed: ");
		pressure_kills_put_recent(report, first.past_kills, line);
		text_format(line, " on %zu levels", first.past_count);
	} else {
		put_sign(report, first.now ? first.now : first.past, width, line);
	}
}

static void print_first(const struct pressure_report *report, struct out *out)
{
	const struct pm_oom_kill *kill = NULL;
	size_t width = first_width(out);
	struct text line = { 0 };

	if (report->has_target) {
		utf8_escape(&line, report->name, strlen(report->name));
		text_format(&line, " (%d)   ", (int)report->pid);
	}
	if (report->reading.gone)
		kill = pressure_kills_of_target(report);

	if (kill) {
		text_string(&line, "OOM-killed ");
		pressure_kills_put_age(kill, &line);
		text_string(&line, ": ");
		pressure_kills_put_cause(kill, width < SIZE_MAX ? 2 * width : width, &line);
	} else {
		text_string(&line, report->reading.gone ? "ended; " : "");
		put_answer(report, width, &line);
	}

	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/** Returns the width of the widest line of a table whose names have their largest width. */
static size_t line_width(const struct levels_view *view, const struct table *table,
                         const size_t *widths)
{
	size_t names = excess_size(view->level_width, widths[LEVEL]), errors = widths[ERRORS];
	struct text cell = { 0 };

	/* The last column is not measured. */
	for (size_t row = 0; row < table->rows; row++) {
		text_clear(&cell);
		table->cell(table->context, row, ERRORS, &cell);
		errors = pm_max_size(errors, utf8_columns(cell.bytes, cell.length));
	}

	text_deinit(&cell);
	return names + table_offset(table, widths, ERRORS) + errors;
}

/** Prints the table of levels. */
static void print_levels(const struct pressure_report *report, struct out *out)
{
	struct levels_view view = { .report = report, .level_width = SIZE_MAX };
	size_t widths[TABLE_COLUMNS_MAX];
	struct table table = {
		.columns = columns,
		.column_count = COLUMNS,
		.rows = report->reading.count,
		.titles = true,
		.open_end = true,
		.context = &view,
		.cell = level_cell,
	};

	if (out->width < SIZE_MAX) {
		view.level_width = LEVEL_WIDTH_MIN;
		table_measure(&table, widths);
		view.level_width += excess_size(out->width, line_width(&view, &table, widths));
	}
	table_measure(&table, widths);
	table_print(&table, widths, out);
}

static void print_signs(const struct pressure_report *report, struct out *out)
{
	/* A path that is wider than a line could not be broken. */
	size_t width = out->width < SIZE_MAX ? out->width / 2 : SIZE_MAX;

	for (size_t i = 0; i < report->signs.count; i++) {
		const struct pm_sign *sign = &report->signs.items[i];
		struct text line = { 0 };

		if (i == SIGNS_SHOWN) {
			out_wrapped_format(out, 2, "and %zu more thresholds are crossed: --json\n",
			                   report->signs.count - i);
			return;
		}

		text_string(&line, "! ");
		pressure_words_put_path(report->reading.levels[sign->level].name, width, &line);
		text_string(&line, ": ");
		pressure_words_put_sign(report, sign, &line);
		text_string(&line, " (");
		pressure_words_put_basis(sign->rule, &line);
		text_string(&line, ")\n");
		out_wrapped(out, &line, 2);
		text_deinit(&line);
	}
}

/** Says what is not known. */
static void print_unknown(const struct pressure_report *report, struct out *out)
{
	size_t unread = count_unread(report);
	bool group = false;

	for (size_t i = 0; i < report->reading.count; i++) {
		const struct pm_pressure_level *level = &report->reading.levels[i];
		group |= level->scope == PM_PRESSURE_CGROUP && !is_unread(level) &&
		         !level->known[PM_PRESSURE_SOME_AVG10];
	}

	if (group)
		out_wrapped_format(out, 2,
		                   "not known: how long tasks of the groups wait (PSI is off, or "
		                   "cgroup v1)\n");
	if (unread > 0)
		out_wrapped_format(out, 2,
		                   "not known: %zu cgroup%s, removed or without readable files\n",
		                   unread, text_plural(unread));
	if (report->view == PM_CGROUP_HIDDEN)
		out_wrapped_format(out, 2,
		                   "not known: the cgroup of the process is not visible "
		                   "from here\n");
	else if (report->view == PM_CGROUP_ANCESTORS_HIDDEN)
		out_wrapped_format(out, 2,
		                   "not known: the cgroups above this container are not "
		                   "visible from here\n");
	if (report->reading.left_out > 0)
		out_wrapped_format(out, 2, "%zu cgroups or nodes are left out\n",
		                   report->reading.left_out);
}

static void print_more(const struct pressure_report *report, struct out *out)
{
	char duration[PM_DURATION_TEXT_SIZE];

	pm_format_duration(report->change.seconds, duration);
	out_format(out, "rates over %s\n", duration);
	if (report->has_target)
		out_wrapped_format(out, 2,
		                   "more: procmem headroom %d (time left), procmem cgroup %d "
		                   "(usage)\n",
		                   (int)report->pid, (int)report->pid);
	else
		out_wrapped_format(out, 2,
		                   "more: procmem cgroup PATH (usage), procmem headroom TARGET "
		                   "(time left)\n");
}

void pressure_print(const struct pressure_report *report, struct out *out)
{
	print_first(report, out);
	print_levels(report, out);
	print_signs(report, out);
	pressure_kills_print(report, out);
	print_unknown(report, out);
	print_more(report, out);
}
