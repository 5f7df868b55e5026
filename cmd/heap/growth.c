/* SPDX-License-Identifier: MIT */
/*
 * The first walk is at the start, the second one after half of the time, and the third one at the
 * end. Each walk opens the memory again, because regions may have appeared or grown.
 */
#include "heap/growth.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <procmem/survivors.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/delta.h"
#include "base/minmax.h"
#include "base/poll_loop.h"
#include "base/report.h"
#include "base/utf8.h"
#include "heap/classes.h"
#include "heap/json.h"
#include "heap/print.h"
#include "heap/python.h"
#include "heap/python_growth.h"
#include "view/table.h"

enum { ID, RATE, NEW_RATE, SIZE, NEW, NET, WHAT, COLUMNS };

/* Number of classes that are shown by default. */
enum { CLASSES_SHOWN = 10 };

/* The keys of the classes of survivors. */
enum { KEYS = PM_CENSUS_SIZE | PM_CENSUS_TYPE };

static const struct table_column columns[COLUMNS] = {
	{ .title = "ID", .style = OUT_DIM },
	{ .title = "RATE", .right = true },
	{ .title = "NEW/S", .right = true },
	{ .title = "SIZE", .right = true },
	{ .title = "NEW", .right = true },
	{ .title = "NET", .right = true },
	{ .title = "WHAT" },
};

/** The growth of a heap. */
struct growth {
	struct heap_report report; /* the first walk, whose memory finds the types */
	struct pm_survivors *survivors;
	struct heap_python_growth python; /* of the first and the last walk */
	struct poll_loop wait;
	double begun[PM_SURVIVORS_WALKS]; /* when the chunks of each walk were read, in seconds */
	bool complete;                    /* all walks were complete */
	size_t shown;                     /* number of classes to print */
	enum delta_rate_unit unit;        /* of the rates in the table */
	int sort;                         /* the column to sort by; -1: the default order */
	size_t *order; /* index of the class of each row of the table, for all classes; owned */
	size_t *ids;   /* numbers of the shown classes in a session; NULL outside of it; owned */
};

static struct pm_survivor_class class_at(const struct growth *growth, size_t index)
{
	struct pm_survivor_class class;

	pm_survivors_get(growth->survivors, index, &class);
	return class;
}

/** Returns the bytes per second of a class. */
static double bytes_rate(const struct growth *growth, const struct pm_survivor_class *class)
{
	double seconds = pm_survivors_seconds(growth->survivors);

	return seconds > 0 ? (double)class->chunks->bytes / seconds : 0;
}

/** Returns whether it is known that the process has no more chunks of a class than before. */
static bool has_no_net_growth(const struct pm_survivor_class *class)
{
	return class->net_known && class->net_count <= 0;
}

/** Finds the column of --sort: the title in lower case. */
static int find_sort(struct growth *growth, struct pm_error *error)
{
	static const char *const names[COLUMNS] = {
		[RATE] = "rate", [NEW_RATE] = "new/s", [SIZE] = "size", [NEW] = "new", [NET] = "net"
	};
	const char *name = growth->report.options->list.sort;

	growth->sort = -1;
	if (!name)
		return 0;

	for (int i = RATE; i <= NET; i++)
		if (strcasecmp(names[i], name) == 0)
			growth->sort = i;
	if (growth->sort >= 0)
		return 0;
	return pm_error_set(error, PM_ERROR_USAGE, 0,
	                    "--sort: unknown column '%s'; with --growth, use rate, new/s, size, "
	                    "new or net",
	                    name);
}

/** Returns the number by which a class is sorted. A change that is not known comes last. */
static double sort_key(const struct growth *growth, const struct pm_survivor_class *class)
{
	switch (growth->sort) {
	case NEW_RATE:
	case NEW:
		return (double)class->chunks->count;
	case SIZE:
		return (double)class->chunks->size;
	case NET:
		return class->net_known ? (double)class->net_count : -DBL_MAX;
	default:
		return bytes_rate(growth, class);
	}
}

static int compare_classes(const void *a, const void *b, void *context)
{
	const struct growth *growth = context;
	size_t left = *(const size_t *)a, right = *(const size_t *)b;
	const struct pm_survivor_class one = class_at(growth, left);
	const struct pm_survivor_class other = class_at(growth, right);
	double first = sort_key(growth, &one), second = sort_key(growth, &other);

	if (first != second)
		return (first < second) - (first > second);
	return (left > right) - (left < right);
}

/** Reverses the order of the rows. */
static void reverse(size_t *order, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		size_t swapped = order[i];
		order[i] = order[count - 1 - i];
		order[count - 1 - i] = swapped;
	}
}

/** Orders the classes. By default, those with most bytes come first, and in text, those without net
 * growth come last. */
static void order_classes(struct growth *growth)
{
	const struct heap_options *options = growth->report.options;
	size_t count = pm_survivors_count(growth->survivors), ordered = 0;

	growth->order = alloc_array(NULL, count, sizeof *growth->order);
	if (growth->sort >= 0 || options->output.json) {
		for (size_t i = 0; i < count; i++)
			growth->order[i] = i;
		if (growth->sort >= 0)
			qsort_r(growth->order, count, sizeof *growth->order, compare_classes,
			        growth);
		ordered = count;
	}

	for (int last = 0; last <= 1 && ordered < count; last++) {
		for (size_t i = 0; i < count; i++) {
			const struct pm_survivor_class class = class_at(growth, i);
			if (has_no_net_growth(&class) == (last == 1))
				growth->order[ordered++] = i;
		}
	}

	if (options->list.reverse)
		reverse(growth->order, count);
}

/** Finds the unit of the rates in the table: that of the largest one. */
static void find_unit(struct growth *growth)
{
	double largest = 0;

	for (size_t i = 0; i < growth->shown; i++) {
		const struct pm_survivor_class class = class_at(growth, growth->order[i]);
		double rate = bytes_rate(growth, &class);
		if (rate > largest)
			largest = rate;
	}
	growth->unit = delta_rate_unit(largest);
}

static void put_what(const struct pm_survivor_class *class, struct text *text)
{
	struct text raw = { 0 };

	if (has_no_net_growth(class))
		text_string(text, "no net growth: ");
	heap_classes_put_what(class->chunks, KEYS, &raw);
	utf8_escape(text, raw.bytes, raw.length);
	text_deinit(&raw);
}

/** Returns the first column of the table. Only a session has numbers. */
static size_t first_column(const struct growth *growth)
{
	return growth->ids ? ID : RATE;
}

static void cell(void *context, size_t row, size_t column, struct text *text)
{
	const struct growth *growth = context;
	const struct pm_survivor_class class = class_at(growth, growth->order[row]);

	switch (column + first_column(growth)) {
	case ID:
		if (growth->ids[row] > 0)
			text_format(text, "#%zu", growth->ids[row]);
		break;
	case RATE:
		delta_put_rate_in(text, bytes_rate(growth, &class), growth->unit);
		break;
	case NEW_RATE:
		text_format(text, "%.1f", class.rate);
		break;
	case SIZE:
		text_decimal(text, class.chunks->size);
		break;

	case NEW:
		text_grouped(text, class.chunks->count);
		break;
	case NET:
		if (class.net_known)
			text_format(text, "%+" PRId64, class.net_count);
		else
			text_char(text, '?');
		break;
	default:
		put_what(&class, text);
	}
}

/** Returns the style of a cell. The rate of a class is marked only if the class has grown. */
static enum out_style style(void *context, size_t row, size_t column)
{
	const struct growth *growth = context;
	const struct pm_survivor_class class = class_at(growth, growth->order[row]);
	size_t shown = column + first_column(growth);

	if (shown == RATE && class.net_known && class.net_count > 0)
		return OUT_GROWN;
	return columns[shown].style;
}

/** Returns the change of the bytes in use from the first walk to the last. */
static int64_t net_bytes(const struct growth *growth)
{
	struct pm_census_total first = pm_survivors_total(growth->survivors, 0);
	struct pm_census_total last = pm_survivors_total(growth->survivors, PM_SURVIVORS_WALKS - 1);

	return (int64_t)(last.bytes - first.bytes);
}

/** Returns the time between two walks, in seconds. */
static double seconds_between(const struct growth *growth, size_t walk, size_t next)
{
	return growth->begun[next] - growth->begun[walk];
}

/** Adds the times between the walks: a walk over a large heap takes longer than the option says. */
static void put_times(const struct growth *growth, struct text *line)
{
	char times[2][32];

	for (size_t i = 0; i < 2; i++)
		snprintf(times[i], sizeof times[i], "%.1f s", seconds_between(growth, i, i + 1));

	text_format(line, "  %d walks, %s", PM_SURVIVORS_WALKS, times[0]);
	if (strcmp(times[0], times[1]) != 0)
		text_format(line, " and %s", times[1]);
	text_string(line, " apart, not stopped");
}

static void print_header(const struct growth *growth, struct out *out)
{
	const struct heap_report *report = &growth->report;
	struct text line = { 0 };

	heap_print_target(report, &line);
	put_times(growth, &line);
	if (!growth->complete)
		text_string(&line, ", incomplete");
	if (!pm_survivors_are_certain(growth->survivors))
		text_string(&line,
		            "; rates can be too high: the first walk did not find all chunks");
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/** Gives the examples of the shown classes their numbers in a session. */
static void number_classes(struct growth *growth, struct out *out)
{
	if (!out->results)
		return;

	growth->ids = alloc_array(NULL, growth->shown, sizeof *growth->ids);
	for (size_t i = 0; i < growth->shown; i++)
		growth->ids[i] = heap_classes_number(
			out->results, class_at(growth, growth->order[i]).chunks, KEYS);
}

static void print_table(struct growth *growth, struct out *out)
{
	size_t count = pm_survivors_count(growth->survivors), first = first_column(growth);
	size_t widths[TABLE_COLUMNS_MAX];
	const struct table table = {
		.columns = columns + first,
		.column_count = COLUMNS - first,
		.rows = growth->shown,
		.titles = !growth->report.options->list.no_header,
		.open_end = out->width == SIZE_MAX,
		.context = growth,
		.cell = cell,
		.style = style,
	};

	table_measure(&table, widths);
	table_print(&table, widths, out);
	if (growth->shown < count)
		out_format(out, "\xe2\x80\xa6 %zu more classes (all: -a)\n", count - growth->shown);
}

static void print_text(struct growth *growth, struct out *out)
{
	struct text net = { 0 };

	print_header(growth, out);
	find_unit(growth);
	number_classes(growth, out);
	if (pm_survivors_count(growth->survivors) == 0)
		out_string(
			out,
			"no chunk that was allocated between the first two walks is still there\n");
	else
		print_table(growth, out);

	delta_put_bytes(&net, net_bytes(growth), growth->report.options->output.bytes);
	out_format(out, "net change in %.1f s, of all chunks in use: %s\n",
	           seconds_between(growth, 0, PM_SURVIVORS_WALKS - 1), text_terminate(&net));
	text_deinit(&net);
	heap_python_growth_print(&growth->python, growth->report.options, out);
}

static void print_json(const struct growth *growth, struct out *out)
{
	struct json json = { .out = out };

	heap_json_open(&json, &growth->report);
	json_put(&json, "seconds", json_real(pm_survivors_seconds(growth->survivors)));
	json_put(&json, "net_seconds",
	         json_real(seconds_between(growth, 0, PM_SURVIVORS_WALKS - 1)));
	json_put(&json, "certain", json_boolean(pm_survivors_are_certain(growth->survivors)));
	json_open(&json, "survivors", '[');
	for (size_t i = 0; i < growth->shown; i++) {
		const struct pm_survivor_class class = class_at(growth, growth->order[i]);

		json_open(&json, NULL, '{');
		json_put(&json, "count", json_number(class.chunks->count));
		json_put(&json, "rate", json_real(class.rate));
		json_put(&json, "bytes_rate", json_real(bytes_rate(growth, &class)));
		if (class.net_known) {
			json_put(&json, "net_count", json_integer(class.net_count));
			json_put(&json, "net_bytes", json_integer(class.net_bytes));
		}
		heap_classes_put_json(&json, class.chunks, KEYS);
		json_shut(&json, '}');
	}
	json_shut(&json, ']');
	json_put(&json, "net_bytes", json_integer(net_bytes(growth)));
	heap_python_growth_put_json(&json, &growth->python);
	json_shut(&json, '}');
	out_string(out, "\n");
}

/** Waits for the time of the next walk. */
static int await_walk(struct growth *growth, struct pm_error *error)
{
	struct poll_loop *wait = &growth->wait;

	while (!*wait->interrupted)
		if (poll_loop_wait(wait))
			return 0;
	return pm_error_set(error, PM_ERROR_CANCELLED, 0,
	                    "interrupted before the last walk over the heap");
}

/** Reads the heap of CPython, unless only some chunks of malloc are of interest. */
static int read_python(struct heap_report *report, struct pm_python_heap **heap,
                       struct pm_error *error)
{
	*heap = NULL;
	if (heap_options_select(report->options))
		return 0;
	return heap_python_read(report, heap, error);
}

/** Makes the second or third walk. */
static int walk_again(struct growth *growth, size_t walk, const char *word, struct pm_error *error)
{
	struct heap_report report = { .options = growth->report.options };
	struct pm_error gone;
	int result = -1;

	report.memory.cancel = growth->wait.interrupted;
	if (heap_report_open(&report, word, error) == 0) {
		growth->begun[walk] = clock_seconds();
		result = pm_survivors_walk(growth->survivors, report.heap, error);
	}
	if (result == 0 && walk == PM_SURVIVORS_WALKS - 1) {
		growth->python.seconds += clock_seconds();
		result = read_python(&report, &growth->python.last, error);
	}
	/* The chunks of two programs, or of two processes of the same name, are not compared. */
	if (pm_process_check(growth->report.memory.target.process, &gone) < 0) {
		*error = gone;
		result = -1;
	}
	if (result == 0)
		growth->complete = growth->complete && report.heap->complete;

	heap_report_deinit(&report);
	return result;
}

static int measure(struct growth *growth, const char *word, struct pm_error *error)
{
	struct heap_report *report = &growth->report;

	if (heap_report_open(report, word, error) < 0)
		return -1;
	if (report->memory.core)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "--growth needs a process, but %s is a core file", word);
	if (pm_survivors_open(report->contents.types, report->filter, &growth->survivors, error) <
	    0)
		return -1;

	growth->begun[0] = clock_seconds();
	if (pm_survivors_walk(growth->survivors, report->heap, error) < 0)
		return -1;
	growth->python.seconds = -clock_seconds();
	if (read_python(report, &growth->python.first, error) < 0)
		return -1;

	growth->complete = report->heap->complete;
	for (size_t i = 1; i < PM_SURVIVORS_WALKS; i++) {
		if (await_walk(growth, error) < 0 || walk_again(growth, i, word, error) < 0)
			return -1;
	}
	return 0;
}

/** Sets the number of classes to print. */
static void limit_classes(struct growth *growth)
{
	const struct heap_options *options = growth->report.options;

	growth->shown = pm_survivors_count(growth->survivors);
	if (options->list.top_given)
		growth->shown = pm_min_size(growth->shown, (size_t)options->list.top);
	else if (!options->list.all && !options->output.json)
		growth->shown = pm_min_size(growth->shown, CLASSES_SHOWN);
}

int heap_growth_print(const char *word, const struct heap_options *options, struct out *out,
                      struct pm_error *error)
{
	struct growth growth = { .report = { .options = options } };

	poll_loop_init(&growth.wait, options->growth / (PM_SURVIVORS_WALKS - 1));
	growth.report.memory.cancel = growth.wait.interrupted;

	int result = find_sort(&growth, error);
	if (result == 0)
		result = measure(&growth, word, error);
	poll_loop_deinit(&growth.wait);
	if (result == 0) {
		heap_python_growth_compare(&growth.python);
		order_classes(&growth);
		limit_classes(&growth);
		if (options->output.json)
			print_json(&growth, out);
		else
			print_text(&growth, out);
		result = growth.complete;
	}

	heap_python_growth_deinit(&growth.python);
	free(growth.order);
	free(growth.ids);
	pm_survivors_close(growth.survivors);
	heap_report_deinit(&growth.report);
	return result;
}
