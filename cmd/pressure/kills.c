/* SPDX-License-Identifier: MIT */
#include "pressure/kills.h"

#include <inttypes.h>
#include <string.h>

#include <procmem/number.h>

#include "base/minmax.h"
#include "base/utf8.h"
#include "pressure/words.h"
#include "view/table.h"

/** Number of kills that the text has; --json has all. */
enum { SHOWN_MAX = 5 };

/** Smallest width of the path of a cgroup. */
enum { PATH_WIDTH_MIN = 8 };

enum { AGE, PROCESS, ANON, FILE_RSS, SHMEM, CAUSE, COLUMNS };

static const struct table_column columns[COLUMNS] = {
	[AGE] = { .title = "OOM KILL" },
	[PROCESS] = { .title = "PROCESS" },
	[ANON] = { .title = "ANON", .right = true },
	[FILE_RSS] = { .title = "FILE", .right = true },
	[SHMEM] = { .title = "SHMEM", .right = true },
	[CAUSE] = { .title = "CAUSE" },
};

/** The data of the table. */
struct kills_view {
	const struct pm_oom_kill *kills[SHOWN_MAX];
	size_t cause_width;
	bool bytes;
};

const char *pressure_kills_constraint(enum pm_oom_constraint constraint)
{
	static const char *const names[] = {
		[PM_OOM_UNKNOWN] = NULL,    [PM_OOM_MEMCG] = "cgroup",     [PM_OOM_GLOBAL] = "host",
		[PM_OOM_CPUSET] = "cpuset", [PM_OOM_POLICY] = "mempolicy",
	};

	return names[constraint];
}

void pressure_kills_put_age(const struct pm_oom_kill *kill, struct text *text)
{
	char duration[PM_DURATION_TEXT_SIZE];

	if (!kill->age_known) {
		text_format(text, "%.1fs after boot", (double)kill->time_us / 1e6);
		return;
	}
	pm_format_duration(kill->seconds_ago, duration);
	text_format(text, "%s ago", duration);
}

void pressure_kills_put_process(const struct pm_oom_kill *kill, struct text *text)
{
	utf8_escape(text, kill->comm, strlen(kill->comm));
	text_format(text, " (%d)", (int)kill->pid);
}

void pressure_kills_put_cause(const struct pm_oom_kill *kill, size_t width, struct text *text)
{
	static const char limit[] = "limit of ", in[] = ", in ";
	static const char *const reasons[] = {
		[PM_OOM_UNKNOWN] = "not known",
		[PM_OOM_MEMCG] = "limit of a group",
		[PM_OOM_GLOBAL] = "memory of the host",
		[PM_OOM_CPUSET] = "nodes of a cpuset",
		[PM_OOM_POLICY] = "nodes of a memory policy",
	};
	bool both = *kill->limit_group && *kill->group &&
	            strcmp(kill->group, kill->limit_group) != 0;
	size_t words = *kill->limit_group ? sizeof limit - 1 : strlen(reasons[kill->constraint]);
	size_t room = excess_size(width, words + (both ? sizeof in - 1 : 0));

	if (width < SIZE_MAX)
		width = pm_max_size(PATH_WIDTH_MIN, both ? room / 2 : room);
	if (*kill->limit_group) {
		text_string(text, limit);
		pressure_words_put_path(kill->limit_group, width, text);
	} else {
		text_string(text, reasons[kill->constraint]);
	}

	if (both || (*kill->group && !*kill->limit_group)) {
		text_string(text, in);
		pressure_words_put_path(kill->group, width, text);
	}
}

bool pressure_kills_are_complete(const struct pressure_report *report)
{
	const struct pm_oom_log *log = &report->log;

	if (!report->has_log || log->cut || log->dropped > 0)
		return false;
	return log->complete || log->seconds_back >= PM_OOM_RECENT_SECONDS;
}

void pressure_kills_put_recent(const struct pressure_report *report, uint64_t count,
                               struct text *text)
{
	text_format(text, "%s%" PRIu64 " OOM kill%s in the last hour",
	            pressure_kills_are_complete(report) ? "" : "at least ", count,
	            text_plural(count));
}

/** Returns whether a kill happened in the own cgroup of the target. */
static bool is_in_own_group(const struct pressure_report *report, const struct pm_oom_kill *kill)
{
	size_t own = report->reading.gone ? 0 : 1;

	return report->view == PM_CGROUP_VISIBLE && own < report->reading.count &&
	       report->reading.levels[own].scope == PM_PRESSURE_CGROUP &&
	       strcmp(report->reading.levels[own].name, kill->group) == 0;
}

const struct pm_oom_kill *pressure_kills_of_target(const struct pressure_report *report)
{
	for (size_t i = report->has_log ? report->log.count : 0; i-- > 0;) {
		const struct pm_oom_kill *kill = &report->log.kills[i];
		/* The time in the log is about that of the clock. */
		if (!kill->age_known || kill->seconds_ago > report->change.seconds + 1)
			continue;
		/* In a PID namespace the PIDs of the log are other ones. The name changes with
		 * execve(2). */
		if (kill->pid == report->pid &&
		    (strcmp(kill->comm, report->name) == 0 || is_in_own_group(report, kill)))
			return kill;
	}
	return NULL;
}

/** Returns whether a kill concerns any level. */
static bool concerns_any(const struct pressure_report *report, const struct pm_oom_kill *kill)
{
	for (size_t i = 0; i < report->reading.count; i++)
		if (pressure_words_kill_is_of(report, i, kill))
			return true;
	return false;
}

size_t pressure_kills_elsewhere(const struct pressure_report *report)
{
	size_t count = 0;

	for (size_t i = 0; report->has_log && i < report->log.count; i++)
		count += pm_signs_kill_is_recent(&report->log.kills[i]) &&
		         !concerns_any(report, &report->log.kills[i]);
	return count;
}

/**
 * Returns whether a kill is shown: without a target all are, otherwise those of its levels. If the
 * group of the kill cannot be compared with these, the process must have the name of the target.
 */
static bool shows_kill(const struct pressure_report *report, const struct pm_oom_kill *kill)
{
	if (!report->has_target || concerns_any(report, kill))
		return true;
	if (report->view == PM_CGROUP_VISIBLE && *kill->group)
		return false;
	return strcmp(kill->comm, report->name) == 0;
}

static void put_size(const struct kills_view *view, const struct pm_oom_kill *kill, uint64_t bytes,
                     struct text *text)
{
	if (kill->sizes_known)
		text_size_as(text, bytes, view->bytes);
	else
		text_char(text, '?');
}

static void kill_cell(void *context, size_t row, size_t column, struct text *text)
{
	const struct kills_view *view = context;
	const struct pm_oom_kill *kill = view->kills[row];

	switch (column) {
	case AGE:
		pressure_kills_put_age(kill, text);
		break;
	case PROCESS:
		pressure_kills_put_process(kill, text);
		break;
	case ANON:
		put_size(view, kill, kill->anon_rss, text);
		break;
	case FILE_RSS:
		put_size(view, kill, kill->file_rss, text);
		break;
	case SHMEM:
		put_size(view, kill, kill->shmem_rss, text);
		break;
	default:
		pressure_kills_put_cause(kill, view->cause_width, text);
	}
}

static void print_table(struct kills_view *view, size_t rows, struct out *out)
{
	size_t widths[TABLE_COLUMNS_MAX];
	struct table table = {
		.columns = columns,
		.column_count = COLUMNS,
		.rows = rows,
		.titles = true,
		.open_end = true,
		.context = view,
		.cell = kill_cell,
	};

	table_measure(&table, widths);
	view->cause_width = out->width;
	if (out->width < SIZE_MAX)
		view->cause_width = excess_size(out->width, table_offset(&table, widths, CAUSE));
	table_print(&table, widths, out);
}

void pressure_kills_print(const struct pressure_report *report, struct out *out)
{
	struct kills_view view = { .bytes = report->options->output.bytes };
	size_t shown = 0, rest = report->log.dropped, others = 0;
	bool unknown = rest > 0 || report->view != PM_CGROUP_VISIBLE;

	if (!report->has_log) {
		out_wrapped_format(out, 2, "OOM kills are not known: %s\n", report->log_error.text);
		return;
	}

	for (size_t i = report->log.count; i-- > 0;) {
		const struct pm_oom_kill *kill = &report->log.kills[i];
		unknown |= !*kill->group;
		if (!shows_kill(report, kill))
			others++;
		else if (shown < SHOWN_MAX)
			view.kills[shown++] = kill;
		else
			rest++;
	}

	if (shown > 0)
		print_table(&view, shown, out);
	if (rest > 0 && shown > 0)
		out_wrapped_format(out, 2, "and %zu more in the log of the kernel: --json\n", rest);
	else
		others += rest;
	if (others > 0)
		out_wrapped_format(out, 2, "%zu OOM kill%s of other%s groups in the log: --json\n",
		                   others, text_plural(others), unknown ? " or unknown" : "");
}
