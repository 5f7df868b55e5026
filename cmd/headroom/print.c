/* SPDX-License-Identifier: MIT */
#include "headroom/print.h"

#include <procmem/number.h>

#include "base/delta.h"
#include "base/utf8.h"
#include "headroom/members.h"
#include "headroom/rates.h"
#include "target/first_limit.h"
#include "target/json_parts.h"
#include "view/json.h"
#include "view/table.h"

enum { LIMIT, MAX, USED, CACHE, LEFT, LASTS, SOURCE, LIMIT_COLUMNS };
enum { KIND, COUNT, WEIGHT, SHARE, KIND_COLUMNS };

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
	{ .title = "OF LIMIT", .right = true },
};

static void put_amount(const struct headroom_report *report, const struct pm_limit *limit,
                       uint64_t amount, struct text *text)
{
	if (limit->counts && amount == 0)
		text_char(text, '-');
	else if (limit->counts || report->options->output.bytes)
		text_decimal(text, amount);
	else
		text_size(text, amount);
}

static void limit_cell(void *context, size_t row, size_t column, struct text *text)
{
	const struct headroom_report *report = context;
	const struct pm_limit *limit = &report->headroom.limits[row];
	struct pm_trend trend;
	double seconds;
	char duration[PM_DURATION_TEXT_SIZE];

	switch (column) {
	case LIMIT:
		text_string(text, pm_limit_name(limit->kind));
		break;
	case MAX:
		put_amount(report, limit, limit->max, text);
		break;
	case USED:
		put_amount(report, limit, limit->used, text);
		break;
	case CACHE:
		put_amount(report, limit, limit->reclaimable, text);
		break;

	case LEFT:
		put_amount(report, limit, pm_limit_left(limit), text);
		break;
	case LASTS:
		if (headroom_rates_lasts(report->rates, limit, &trend, &seconds)) {
			pm_format_duration(seconds, duration);
			text_string(text, duration);
		} else {
			text_char(text, '-');
		}
		break;
	default:
		utf8_escape(text, limit->source, strlen(limit->source));
	}
}

/**
 * Sorts the kinds that hold memory, largest first.
 *
 * @param report  the results
 * @param order   receives at most PM_KIND_COUNT kinds
 * @return        number of kinds
 */
static size_t order_kinds(const struct headroom_report *report, enum pm_kind *order)
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

static bool lasts(const void *context, const struct pm_limit *limit, double *seconds)
{
	struct pm_trend trend;
	return headroom_rates_lasts(context, limit, &trend, seconds);
}

/**
 * Adds the time until a limit is reached and the rate. If this time is not known, adds the verdict
 * on the growth and the reason of the verdict. Adds nothing if no rate was measured.
 */
static void put_lasts(const struct headroom_report *report, const struct pm_limit *limit,
                      struct text *line)
{
	struct pm_trend trend = { 0 };
	double seconds;
	char duration[PM_DURATION_TEXT_SIZE];
	if (headroom_rates_lasts(report->rates, limit, &trend, &seconds)) {
		pm_format_duration(seconds, duration);
		text_format(line, ", used up in %s at ", duration);
		if (limit->counts)
			text_format(line, "%+.1f/s", trend.rate);
		else
			delta_put_rate(line, trend.rate);
	} else if (*trend.reason) {
		text_format(line, "; usage of the process: %s (%s)", pm_verdict_name(trend.verdict),
		            trend.reason);
	}
}

/**
 * Prints the first line: the limit that is reached first, the amount that is left, and the time
 * until the limit is reached.
 */
static void print_answer(const struct headroom_report *report, struct out *out)
{
	const struct pm_limit *limit = first_limit(&report->headroom, lasts, report->rates);
	struct text line = { 0 };
	utf8_escape(&line, report->comm, strlen(report->comm));
	text_format(&line, " (%d)   ", (int)report->pid);

	if (limit) {
		put_amount(report, limit, pm_limit_left(limit), &line);
		text_string(&line, " left of ");
		put_amount(report, limit, limit->max, &line);
		text_format(&line, " (%s)", first_limit_words(limit->kind));
		put_lasts(report, limit, &line);
	} else {
		text_string(&line, "no memory limit is visible");
	}

	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/**
 * Adds the time until address space is exhausted if it grows as fast as the resident and swapped
 * memory of the process. Adds nothing if this memory does not grow steadily.
 */
static void put_as_memory(const struct headroom_report *report, const struct pm_limit *limit,
                          struct text *line)
{
	struct pm_trend memory;
	char duration[PM_DURATION_TEXT_SIZE];
	pm_trend_judge(&report->rates->memory, PM_TREND_BYTES, &memory);
	if (memory.verdict != PM_VERDICT_STEADY || memory.rate <= 0)
		return;

	pm_format_duration((double)pm_limit_left(limit) / memory.rate, duration);
	text_format(line,
	            "; if address space grows as fast as the memory of the process, it is used up "
	            "in %s",
	            duration);
}

/**
 * Reports the limit of address space if the time until this limit is reached is not known, but
 * the limit may be reached before the memory limit. The time is not known if address space grows in
 * steps (for an arena, malloc reserves 64 MiB at a time and then fills them; see HEAP_MAX_SIZE in
 * glibc's malloc/arena.c), or if it did not grow during the measurement.
 */
static void print_steps(const struct headroom_report *report, struct out *out)
{
	const struct pm_limit *limit = pm_headroom_find(&report->headroom, PM_LIMIT_ADDRESS_SPACE);
	const struct pm_limit *memory = pm_headroom_memory(&report->headroom);
	const struct pm_series *size = &report->rates->size;
	struct pm_trend trend;
	double seconds;

	if (!limit || size->count == 0 ||
	    headroom_rates_lasts(report->rates, limit, &trend, &seconds))
		return;

	uint64_t first = size->points[0].value, last = size->points[size->count - 1].value;
	bool grew = last > first && trend.verdict != PM_VERDICT_SHRINKING &&
	            trend.verdict != PM_VERDICT_PLATEAU;
	struct text line = { 0 };

	text_string(&line, "address_space");
	if (grew) {
		text_string(&line, " grew by ");
		put_amount(report, limit, last - first, &line);
		text_string(&line, "; no rate is known, because the growth is irregular or the "
		                   "time was too short: watch for a longer time");
	} else if (memory && pm_limit_left(limit) < pm_limit_left(memory)) {
		text_string(&line, ": ");
		put_amount(report, limit, pm_limit_left(limit), &line);
		text_string(&line, " left, which is less than the memory left, but address space "
		                   "is not growing now");
	} else {
		text_deinit(&line);
		return;
	}

	put_as_memory(report, limit, &line);
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
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
		                   "memory pressure (PSI): last 10 s: some %.2f%%, full %.2f%%; "
		                   "last 60 s: some %.2f%%, full %.2f%%\n",
		                   pressure->some10, pressure->full10, pressure->some60,
		                   pressure->full60);
}

static void print_table(struct table *table, struct out *out)
{
	size_t widths[TABLE_COLUMNS_MAX];
	table_measure(table, widths);
	table_print(table, widths, out);
}

void headroom_print(const struct headroom_report *report, struct out *out)
{
	struct kinds_view view = { .report = report,
		                   .limit = pm_headroom_memory(&report->headroom) };
	view.count = order_kinds(report, view.order);

	struct table limits = {
		.columns = limit_columns,
		.column_count = LIMIT_COLUMNS,
		.rows = report->headroom.count,
		.titles = true,
		.open_end = true,
		.context = (void *)report,
		.cell = limit_cell,
	};

	struct table kinds = {
		.columns = kind_columns,
		.column_count = KIND_COLUMNS,
		.rows = view.count,
		.titles = true,
		.total = true,
		.context = &view,
		.cell = kind_cell,
	};

	print_answer(report, out);
	print_steps(report, out);
	print_table(&limits, out);
	headroom_members_print(report, out);
	out_string(out, "\n");
	print_table(&kinds, out);
	print_events(report, out);
}

static void put_limits(struct json *json, const struct headroom_report *report)
{
	json_open(json, "limits", '[');
	for (size_t i = 0; i < report->headroom.count; i++) {
		const struct pm_limit *limit = &report->headroom.limits[i];
		struct pm_trend trend;
		double seconds;

		json_open(json, NULL, '{');
		json_parts_limit(json, limit);

		bool lasts = headroom_rates_lasts(report->rates, limit, &trend, &seconds);

		json_parts_trend(json, &trend);
		if (lasts)
			json_put(json, "seconds_left", json_real(seconds));
		json_shut(json, '}');
	}

	json_shut(json, ']');
}

/** Writes the kinds that hold memory, largest first. */
static void put_kinds(struct json *json, const struct headroom_report *report)
{
	enum pm_kind order[PM_KIND_COUNT];
	size_t count = order_kinds(report, order);

	json_open(json, "kinds", '[');
	for (size_t i = 0; i < count; i++) {
		enum pm_kind kind = order[i];

		json_open(json, NULL, '{');
		json_parts_kind(json, kind);
		json_put(json, "count", json_number(report->counts[kind]));
		json_put(json, "rss", json_number(report->weights[kind]));
		json_shut(json, '}');
	}

	json_shut(json, ']');
}

void headroom_print_json(const struct headroom_report *report, struct out *out)
{
	struct json json = { .out = out };
	const struct pm_headroom *headroom = &report->headroom;

	json_open(&json, NULL, '{');
	json_parts_process(&json, report->pid, report->comm, report->command);
	json_put(&json, "time", json_now());
	json_put(&json, "rss", json_number(report->totals.rss));
	json_put(&json, "swap", json_number(report->totals.swap));
	json_put(&json, "threads", json_number(report->totals.threads));
	put_limits(&json, report);

	headroom_members_put(report, &json);
	put_kinds(&json, report);
	if (headroom->events.known) {
		json_open(&json, "events", '{');
		json_put(&json, "oom_kill", json_number(headroom->events.oom_kill));
		json_put(&json, "max", json_number(headroom->events.max));
		if (headroom->cgroup_version == 2) {
			json_put(&json, "high", json_number(headroom->events.high));
			json_put(&json, "oom", json_number(headroom->events.oom));
		}
		json_shut(&json, '}');
	}

	if (headroom->pressure.known) {
		json_open(&json, "pressure", '{');
		json_put(&json, "some_avg10", json_real(headroom->pressure.some10));
		json_put(&json, "full_avg10", json_real(headroom->pressure.full10));
		json_shut(&json, '}');
	}

	json_shut(&json, '}');
	out_string(out, "\n");
}
