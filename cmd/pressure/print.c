/* SPDX-License-Identifier: MIT */
#include "pressure/print.h"

#include <string.h>

#include <procmem/number.h>

#include "base/minmax.h"
#include "base/utf8.h"
#include "pressure/words.h"
#include "view/table.h"

enum { LEVEL, UTILISATION, SATURATION, ERRORS, COLUMNS };

/**
 * Largest widths of the columns on a terminal of 80 columns; a wider one gives the rest to the
 * names.
 */
enum { LEVEL_WIDTH = 16, UTILISATION_WIDTH = 21, SATURATION_WIDTH = 24, ERRORS_WIDTH = 13 };

/** Numbers of signs and kills that the text has; --json has all. */
enum { SIGNS_SHOWN = 12, KILLS_SHOWN = 5 };

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
		pressure_words_put_level(&report->reading.levels[row], view->level_width, text);
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

/** Returns how near a level is to the target: 0 for it and its own cgroup. */
static int distance(const struct pressure_report *report, size_t level)
{
	enum pm_pressure_scope scope = report->reading.levels[level].scope;
	size_t own = report->reading.gone ? 0 : 1;

	if (!report->has_target || level <= own)
		return scope == PM_PRESSURE_PROCESS || scope == PM_PRESSURE_CGROUP ? 0 : 2;
	return scope == PM_PRESSURE_CGROUP ? 1 : 2;
}

/**
 * Returns the sign of the first line: the gravest one of the target and its own cgroup, or else of
 * the cgroups above, or else of the machine. Signs are in the order of their gravity.
 */
static const struct pm_sign *first_sign(const struct pressure_report *report)
{
	const struct pm_sign *first = NULL;

	for (size_t i = 0; i < report->signs.count; i++) {
		const struct pm_sign *sign = &report->signs.items[i];
		if (!first || (report->has_target &&
		               distance(report, sign->level) < distance(report, first->level)))
			first = sign;
	}
	return first;
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
static bool knows_last_hour(const struct pressure_report *report)
{
	const struct pm_oom_log *log = &report->log;

	if (!report->has_log || report->view != PM_CGROUP_VISIBLE || log->cut || log->dropped > 0)
		return false;
	if (!log->complete && log->seconds_back < PM_OOM_RECENT_SECONDS)
		return false;

	for (size_t i = 0; i < log->count; i++)
		if (!*log->kills[i].group)
			return false;
	return true;
}

/** Returns the width for the name of a level in the first line. The lines below have it whole. */
static size_t first_width(const struct out *out)
{
	return out->width < SIZE_MAX ? pm_max_size(LEVEL_WIDTH, out->width / 4) : SIZE_MAX;
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
		pressure_words_put_level(level, width, line);
		text_string(line, knows_last_hour(report) ? " before the last hour"
		                                          : " at a time that is not known");
		return;
	}
}

/** Adds the answer if no threshold is crossed. */
static void put_calm(const struct pressure_report *report, size_t width, struct text *line)
{
	text_string(line, "calm");
	if (!knows_stalls(report))
		text_string(line, " as far as is known (the kernel has no PSI here)");
	put_old_kills(report, width, line);
}

/** Adds the answer: the gravest sign. */
static void put_sign(const struct pressure_report *report, const struct pm_sign *sign, size_t width,
                     struct text *line)
{
	static const char *const words[] = { "nearly full", "waits", "fails" };
	const struct pm_pressure_level *level = &report->reading.levels[sign->level];

	text_string(line, words[pm_sign_of(sign->rule)->part]);
	text_string(line, ": ");
	if (level->scope != PM_PRESSURE_PROCESS) {
		pressure_words_put_level(level, width, line);
		text_string(line, ": ");
	}
	pressure_words_put_sign(report, sign, line);
}

/** Returns the kill of the target, if the log has it and it ended during the measurement. */
static const struct pm_oom_kill *kill_of_target(const struct pressure_report *report)
{
	for (size_t i = report->has_log ? report->log.count : 0; i-- > 0;) {
		const struct pm_oom_kill *kill = &report->log.kills[i];
		/* The time in the log is about that of the clock. */
		if (kill->pid == report->pid && strcmp(kill->comm, report->name) == 0 &&
		    kill->age_known && kill->seconds_ago <= report->change.seconds + 1)
			return kill;
	}
	return NULL;
}

static void print_first(const struct pressure_report *report, struct out *out)
{
	const struct pm_sign *sign = first_sign(report);
	struct text line = { 0 };

	if (report->has_target) {
		utf8_escape(&line, report->name, strlen(report->name));
		text_format(&line, " (%d)   ", (int)report->pid);
	}
	if (report->reading.gone)
		text_string(&line, kill_of_target(report) ? "killed by the kernel; " : "ended; ");
	if (sign)
		put_sign(report, sign, first_width(out), &line);
	else
		put_calm(report, first_width(out), &line);

	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
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
	size_t others = UTILISATION_WIDTH + SATURATION_WIDTH + ERRORS_WIDTH + 3 * 2;

	if (out->width < SIZE_MAX)
		view.level_width = pm_max_size(LEVEL_WIDTH,
		                               out->width > others ? out->width - others : 0);
	table_measure(&table, widths);
	table_print(&table, widths, out);
}

static void print_signs(const struct pressure_report *report, struct out *out)
{
	for (size_t i = 0; i < report->signs.count; i++) {
		const struct pm_sign *sign = &report->signs.items[i];
		struct text line = { 0 };

		if (i == SIGNS_SHOWN) {
			out_wrapped_format(out, 2, "and %zu more thresholds are crossed: --json\n",
			                   report->signs.count - i);
			return;
		}

		text_string(&line, "! ");
		pressure_words_put_level(&report->reading.levels[sign->level], SIZE_MAX, &line);
		text_string(&line, ": ");
		pressure_words_put_sign(report, sign, &line);
		text_string(&line, " (");
		pressure_words_put_basis(sign->rule, &line);
		text_string(&line, ")\n");
		out_wrapped(out, &line, 2);
		text_deinit(&line);
	}
}

/** Returns whether a kill is shown: without a target all are, otherwise those of its levels. */
static bool shows_kill(const struct pressure_report *report, const struct pm_oom_kill *kill)
{
	if (!report->has_target || report->view != PM_CGROUP_VISIBLE || !*kill->group)
		return true;
	for (size_t i = 0; i < report->reading.count; i++)
		if (pressure_words_kill_is_of(report, i, kill))
			return true;
	return false;
}

/** Prints the newest kills, and counts the others. */
static void print_kills(const struct pressure_report *report, struct out *out)
{
	size_t shown = 0, rest = report->log.dropped;

	if (!report->has_log) {
		out_wrapped_format(out, 2, "OOM kills are not known: %s\n", report->log_error.text);
		return;
	}

	for (size_t i = report->log.count; i-- > 0;) {
		const struct pm_oom_kill *kill = &report->log.kills[i];
		struct text line = { 0 };
		if (shown == KILLS_SHOWN || !shows_kill(report, kill)) {
			rest++;
			continue;
		}

		text_string(&line, shown++ == 0 ? "OOM kills: " : "           ");
		pressure_words_put_kill(kill, report->options->output.bytes, &line);
		text_char(&line, '\n');
		out_wrapped(out, &line, 13);
		text_deinit(&line);
	}

	if (rest > 0 && shown > 0)
		out_wrapped_format(out, 2, "and %zu more in the log of the kernel: --json\n", rest);
	else if (rest > 0)
		out_wrapped_format(out, 2, "%zu OOM kills of other groups in the log: --json\n",
		                   rest);
}

/** Says what is not known. */
static void print_unknown(const struct pressure_report *report, struct out *out)
{
	bool group = false;

	for (size_t i = 0; i < report->reading.count; i++) {
		const struct pm_pressure_level *level = &report->reading.levels[i];
		group |= level->scope == PM_PRESSURE_CGROUP &&
		         !level->known[PM_PRESSURE_SOME_AVG10];
	}

	if (group)
		out_wrapped_format(out, 2,
		                   "not known: how long tasks of the groups wait (PSI is off, or "
		                   "the groups are those of cgroup v1)\n");
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
		                   "more: procmem headroom %d (limits by time), procmem cgroup %d "
		                   "(what fills the group)\n",
		                   (int)report->pid, (int)report->pid);
	else
		out_wrapped_format(out, 2,
		                   "more: procmem cgroup PATH (what fills a group), procmem "
		                   "headroom TARGET (limits by time)\n");
}

void pressure_print(const struct pressure_report *report, struct out *out)
{
	print_first(report, out);
	print_levels(report, out);
	print_signs(report, out);
	print_kills(report, out);
	print_unknown(report, out);
	print_more(report, out);
}
