/* SPDX-License-Identifier: MIT */
#include "headroom/rows.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>

#include "base/alloc.h"
#include "base/delta.h"
#include "base/minmax.h"
#include "base/utf8.h"
#include "target/json_parts.h"
#include "view/table.h"

enum { PID, NAME, MEMORY, RATE, LASTS, VERDICT, COLUMNS };

/* On a terminal, the rows take at most 1/SCREEN_SHARE of the lines, and ROWS_MIN rows at least. */
enum { SCREEN_SHARE = 2, ROWS_MIN = 3 };

/* Lines of the table without the rows of processes: titles, sum, and notes. */
enum { FRAME = 4 };

static const struct table_column row_columns[COLUMNS] = {
	{ .title = "PID", .right = true },    { .title = "NAME" },
	{ .title = "MEMORY", .right = true }, { .title = "RATE", .right = true },
	{ .title = "LASTS", .right = true },  { .title = "VERDICT" },
};

/** A process, and the limit of memory that it will reach. */
struct row {
	const struct neighbour *process;
	bool shared;   /* it shares the limit of the first line */
	bool limited;  /* `left` is known */
	uint64_t left; /* bytes left of its limit */
	double rate;   /* bytes per second; 0 if it does not grow, or is not known to */
	bool estimate; /* `rate` is an estimate */
	bool charged;  /* the growth can be charged to the group, so the limit can be used up */
};

struct rows {
	const struct headroom_report *report;
	struct row *items;
	size_t count;
	struct row sum; /* `process` is NULL; `shared`: all rows share the limit */
};

/** Returns whether a process has a row. */
static bool is_selected(enum headroom_scope scope, const struct neighbour *item)
{
	switch (scope) {
	case HEADROOM_CHILDREN:
		return item->relation <= NEIGHBOUR_DESCENDANT;
	case HEADROOM_CGROUP:
		return item->in_group;
	case HEADROOM_NAMED:
		return item->named;
	case HEADROOM_ALONE:
		break;
	}

	return false;
}

/** Finds what is left of the limit of a process that does not share the limit of the target. */
static void read_own_limit(struct row *row)
{
	struct pm_process *process;
	struct pm_headroom headroom;

	if (pm_process_open(NULL, row->process->use.pid, &process, NULL) < 0)
		return;

	if (pm_headroom_read_memory(process, NULL, &headroom, NULL) == 0) {
		const struct pm_limit *limit = pm_headroom_memory(&headroom);

		row->limited = limit != NULL;
		row->left = limit ? pm_limit_left(limit) : 0;
	}

	pm_process_close(process);
}

static struct row make_row(const struct headroom_report *report, const struct neighbour *process)
{
	const struct pm_limit *limit = pm_headroom_memory(&report->headroom);
	struct row row = { .process = process, .rate = neighbours_rate(process, &row.estimate) };

	row.charged = headroom_around_is_charged(&report->rates->around, process);
	row.shared = process->in_group || !limit || limit->kind == PM_LIMIT_SYSTEM;
	if (!neighbours_grows(process))
		row.rate = 0;
	if (row.shared && limit) {
		row.limited = true;
		row.left = pm_limit_left(limit);
	} else if (!row.shared) {
		read_own_limit(&row);
	}

	return row;
}

/** The fastest growth first, then the most memory. */
static int compare(const void *one, const void *other)
{
	const struct row *a = one, *b = other;
	uint64_t a_size = pm_memory_use_kept(&a->process->use),
		 b_size = pm_memory_use_kept(&b->process->use);

	if (a->rate != b->rate)
		return (a->rate < b->rate) - (a->rate > b->rate);
	if (a_size != b_size)
		return (a_size < b_size) - (a_size > b_size);

	return (a->process->use.pid > b->process->use.pid) -
	       (a->process->use.pid < b->process->use.pid);
}

static struct rows find_rows(const struct headroom_report *report)
{
	const struct neighbours *neighbours = &report->rates->around.neighbours;
	const struct pm_limit *limit = pm_headroom_memory(&report->headroom);
	struct rows rows = { .report = report, .sum = { .shared = true, .charged = true } };

	rows.items = alloc_array(NULL, pm_max_size(neighbours->count, 1), sizeof *rows.items);
	for (size_t i = 0; i < neighbours->count; i++) {
		const struct neighbour *item = &neighbours->items[i];

		if (item->gone || item->own || !is_selected(report->options->source.scope, item))
			continue;

		struct row row = make_row(report, item);
		rows.sum.rate += row.rate;
		rows.sum.estimate = rows.sum.estimate || (row.rate > 0 && row.estimate);
		rows.sum.shared = rows.sum.shared && row.shared;
		rows.sum.charged = rows.sum.charged && row.charged;
		rows.items[rows.count++] = row;
	}

	rows.sum.limited = rows.sum.shared && limit;
	if (rows.sum.limited)
		rows.sum.left = pm_limit_left(limit);
	if (rows.count > 1)
		qsort(rows.items, rows.count, sizeof *rows.items, compare);
	return rows;
}

/** Returns whether memory of a process can be counted for another process, too. */
static bool may_share(const struct neighbour *process)
{
	return process->use.shmem > 0 || process->relation == NEIGHBOUR_CHILD ||
	       process->relation == NEIGHBOUR_DESCENDANT;
}

static uint64_t sum_memory(const struct rows *rows, bool *twice)
{
	uint64_t sum = 0;

	*twice = false;
	for (size_t i = 0; i < rows->count; i++) {
		sum += pm_memory_use_kept(&rows->items[i].process->use);
		*twice = *twice || (rows->count > 1 && may_share(rows->items[i].process));
	}

	return sum;
}

static void put_memory(const struct rows *rows, const struct row *row, struct text *text)
{
	bool twice = false;
	uint64_t memory = row->process ? pm_memory_use_kept(&row->process->use)
	                               : sum_memory(rows, &twice);

	text_string(text, twice ? "~" : "");
	text_size_as(text, memory, rows->report->options->output.bytes);
}

static void put_lasts(const struct row *row, struct text *text)
{
	char duration[PM_DURATION_TEXT_SIZE];

	if (row->rate <= 0 || !row->limited || !row->charged) {
		text_char(text, '-');
		return;
	}

	pm_format_duration((double)row->left / row->rate, duration);
	text_format(text, "%s%s", row->estimate ? "~" : "", duration);
}

static void put_rate(const struct row *row, struct text *text)
{
	if (row->rate > 0 && row->estimate)
		text_char(text, '~');
	delta_put_rate(text, row->rate);
}

static void cell(void *context, size_t index, size_t column, struct text *text)
{
	const struct rows *rows = context;
	bool total = index == TABLE_TOTAL;
	const struct row *row = total ? &rows->sum : &rows->items[index];

	switch (column) {
	case PID:
		if (total)
			text_string(text, "sum");
		else
			text_format(text, "%d", (int)row->process->use.pid);
		break;
	case NAME:
		if (!total)
			utf8_escape(text, row->process->use.comm, strlen(row->process->use.comm));
		break;

	case MEMORY:
		put_memory(rows, row, text);
		break;
	case RATE:
		put_rate(row, text);
		break;
	case LASTS:
		put_lasts(row, text);
		break;
	default:
		if (!total)
			text_string(text, pm_verdict_name(row->process->trend.verdict));
	}
}

/** Prints what the table leaves out, and what its sum counts twice. */
static void print_notes(const struct rows *rows, size_t shown, struct out *out)
{
	const struct neighbours *neighbours = &rows->report->rates->around.neighbours;
	struct text line = { 0 };
	bool twice;

	if (shown < rows->count)
		out_wrapped_format(out, 2, "\xe2\x80\xa6 no room for %zu process%s\n",
		                   rows->count - shown, rows->count - shown == 1 ? "" : "es");

	sum_memory(rows, &twice);
	if (twice)
		text_string(&line, "; ~: memory that processes share is counted for each of them");
	if (!rows->sum.shared)
		text_string(&line,
		            "; LASTS of a process in another cgroup is that of its own limit");
	neighbours_put_missing(neighbours, &line);
	if (line.length > 0) {
		text_char(&line, '\n');
		/* Each part starts with "; ". */
		memmove(line.bytes, line.bytes + 2, line.length - 2);
		line.length -= 2;
		out_wrapped(out, &line, 2);
	}

	text_deinit(&line);
}

void headroom_rows_print(const struct headroom_report *report, struct out *out)
{
	bool known = report->rates->around.observed;
	size_t widths[TABLE_COLUMNS_MAX];

	if (report->options->source.scope == HEADROOM_ALONE)
		return;

	struct rows rows = find_rows(report);
	size_t shown = rows.count;
	if (out->terminal)
		shown = pm_min_size(shown,
		                    pm_max_size(ROWS_MIN,
		                                excess_size(out->height / SCREEN_SHARE, FRAME)));

	struct table table = {
		.columns = row_columns,
		.column_count = known ? COLUMNS : RATE,
		.rows = shown,
		.titles = true,
		.total = rows.count > 1,
		.context = &rows,
		.cell = cell,
	};

	table_measure(&table, widths);
	table_print(&table, widths, out);
	print_notes(&rows, shown, out);
	free(rows.items);
}

static void put_row(struct json *json, const struct headroom_report *report, const struct row *row)
{
	const struct pm_memory_use *use = &row->process->use;

	json_open(json, NULL, '{');
	json_parts_process(json, use->pid, use->comm, NULL);
	json_put(json, "relation", json_string(neighbours_relation_name(row->process->relation)));
	json_put(json, "anon", json_number(use->anon));
	json_put(json, "file", json_number(use->file));
	json_put(json, "shmem", json_number(use->shmem));
	json_put(json, "swap", json_number(use->swap));
	if (row->limited)
		json_put(json, "left", json_number(row->left));

	if (report->rates->around.observed) {
		struct forecast_time time = { .known = row->rate > 0 && row->limited &&
			                               row->charged,
			                      .estimate = row->estimate };

		if (time.known)
			time.seconds = (double)row->left / row->rate;
		json_parts_trend(json, &row->process->trend);
		json_parts_left(json, &time);
	}

	json_shut(json, '}');
}

void headroom_rows_put(const struct headroom_report *report, struct json *json)
{
	const struct neighbours *neighbours = &report->rates->around.neighbours;

	if (report->options->source.scope == HEADROOM_ALONE)
		return;

	struct rows rows = find_rows(report);
	json_open(json, "processes", '[');
	for (size_t i = 0; i < rows.count; i++)
		put_row(json, report, &rows.items[i]);
	json_shut(json, ']');

	json_open(json, "processes_total", '{');
	bool twice;
	uint64_t memory = sum_memory(&rows, &twice);
	struct forecast_time time = { .known = rows.sum.rate > 0 && rows.sum.limited &&
		                               rows.sum.charged,
		                      .estimate = rows.sum.estimate };

	json_put(json, "count", json_number(rows.count));
	json_put(json, "bytes", json_number(memory));
	if (twice)
		json_put(json, "counted_twice", json_true());
	if (report->rates->around.observed)
		json_put(json, "mean_rate", json_real(rows.sum.rate));
	if (time.known)
		time.seconds = (double)rows.sum.left / rows.sum.rate;
	json_parts_left(json, &time);
	json_put(json, "unread_processes",
	         json_number(neighbours->refused + neighbours->others + neighbours->left_out));
	json_shut(json, '}');
	free(rows.items);
}
