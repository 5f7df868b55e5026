/* SPDX-License-Identifier: MIT */
#include "watch/heap_print.h"

#include <inttypes.h>
#include <string.h>

#include <procmem/minmax.h>
#include <procmem/number.h>

#include "base/convert.h"
#include "base/delta.h"
#include "base/utf8.h"
#include "heap/classes.h"
#include "view/table.h"

enum { RATE, NEW_RATE, SIZE, IN_USE, NET, VERDICT, WHAT, COLUMNS };

/* The keys of the classes. */
enum { KEYS = PM_CENSUS_SIZE | PM_CENSUS_TYPE };

static const struct table_column columns[COLUMNS] = {
	[RATE] = { .title = "RATE", .right = true, .style = OUT_GROWN },
	[NEW_RATE] = { .title = "NEW/S", .right = true },
	[SIZE] = { .title = "SIZE", .right = true },
	[IN_USE] = { .title = "IN USE", .right = true },
	[NET] = { .title = "NET", .right = true },
	[VERDICT] = { .title = "VERDICT" },
	[WHAT] = { .title = "WHAT" },
};

static void put_what(const struct watch_heap_class *class, struct text *text)
{
	struct text raw = { 0 };

	heap_classes_put_what(class->survivors, KEYS, &raw);
	utf8_escape(text, raw.bytes, raw.length);
	text_deinit(&raw);
}

/** Returns the words for the verdict on a class. */
static const char *verdict_of(const struct watch_heap_class *class)
{
	return class->net_known ? pm_verdict_name(class->trend.verdict) : "not known";
}

static void cell(void *context, size_t row, size_t column, struct text *text)
{
	const struct watch_heap_class *class = (const struct watch_heap_class *)context + row;

	switch (column) {
	case RATE:
		delta_put_rate(text, class->bytes_rate);
		break;
	case NEW_RATE:
		text_format(text, "%.1f", class->rate);
		break;
	case SIZE:
		text_decimal(text, class->survivors->size);
		break;
	case IN_USE:
		if (class->net_known)
			text_grouped(text, class->in_use);
		else
			text_char(text, '?');
		break;

	case NET:
		if (class->net_known)
			text_format(text, "%+" PRId64, class->net_count);
		else
			text_char(text, '?');
		break;
	case VERDICT:
		text_string(text, verdict_of(class));
		break;
	default:
		put_what(class, text);
	}
}

/** Returns the number of classes that grow. They are the first ones. */
static size_t growing_of(const struct watch_heap_class *classes, size_t count)
{
	size_t growing = 0;

	while (growing < count && classes[growing].growing)
		growing++;
	return growing;
}

/** Adds how often the heap was walked, and what the last walk found. */
static void put_walks(const struct watch_heap_walks *walks, bool bytes, struct text *line)
{
	char duration[PM_DURATION_TEXT_SIZE];

	if (walks->count == 0) {
		text_string(line, "malloc: the first walk over the heap was not finished\n");
		return;
	}

	text_string(line, "malloc: ");
	text_grouped(line, walks->chunks);
	text_format(line, " chunk%s in use, ", text_plural(walks->chunks));
	text_size_as(line, walks->bytes, bytes);
	text_string(line, ", net change ");
	delta_put_bytes(line, walks->net_bytes, bytes);
	text_format(line, "; %" PRIu64 " walk%s", walks->count, text_plural(walks->count));
	if (walks->count > 1) {
		pm_format_duration(walks->gap / (double)(walks->count - 1), duration);
		text_format(line, ", every %s on average", duration);
	}

	text_format(line, ", %.1f ms of CPU time each", walks->cpu * 1e3 / (double)walks->count);
	if (walks->incomplete > 0)
		text_format(line, ", %" PRIu64 " incomplete", walks->incomplete);
	text_char(line, '\n');
	if (walks->failure) {
		text_string(line, "the last walk failed: ");
		utf8_escape(line, walks->failure, strlen(walks->failure));
		text_char(line, '\n');
	}
}

/** Prints that there were too few walks, and how often the budget allows one. */
static void print_too_few(const struct watch_heap_walks *walks, struct out *out)
{
	char duration[PM_DURATION_TEXT_SIZE];
	struct text line = { 0 };

	text_format(&line, "too few walks to find what grows: %d are needed", WATCH_HEAP_WALKS_MIN);
	if (walks->allowed > 0) {
		pm_format_duration(walks->allowed, duration);
		text_format(&line,
		            ", and --budget allows one every %s: watch for longer, or raise "
		            "--budget",
		            duration);
	}
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

/** Prints that no two walks could be compared. */
static void print_not_known(struct out *out)
{
	struct text line = { 0 };

	text_string(&line, "what grows is not known: the walks did not find all chunks (where: "
	                   "procmem heap -v)\n");
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

static void print_table(const struct watch_heap_class *classes, size_t shown, struct out *out)
{
	/* The table does not change its context. */
	void *context = (void *)(uintptr_t)classes;
	size_t widths[TABLE_COLUMNS_MAX];
	const struct table table = {
		.columns = columns,
		.column_count = COLUMNS,
		.rows = shown,
		.titles = true,
		.open_end = out->width == SIZE_MAX,
		.context = context,
		.cell = cell,
	};

	table_measure(&table, widths);
	table_print(&table, widths, out);
}

/** Prints why the RSS seems not to grow although chunks do. */
static void print_difference(const struct pm_trend *rss, const struct watch_heap_class *class,
                             struct out *out)
{
	struct text line = { 0 };

	if (rss->verdict == PM_VERDICT_STEADY || rss->verdict == PM_VERDICT_TOO_EARLY ||
	    !class->net_known || class->trend.verdict != PM_VERDICT_STEADY)
		return;

	text_format(&line,
	            "the verdicts below count chunks; that on the RSS (%s) differs, because "
	            "malloc first uses memory that is free, and then takes many pages at once\n",
	            pm_verdict_name(rss->verdict));
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

void watch_heap_print(const struct watch_heap *heap, const struct pm_trend *rss, uint64_t max,
                      bool bytes, struct out *out)
{
	const struct watch_heap_walks walks = watch_heap_walks(heap);
	size_t count;
	const struct watch_heap_class *classes = watch_heap_classes(heap, &count);
	size_t growing = growing_of(classes, count);
	size_t shown = pm_min_size(growing, max > SIZE_MAX ? SIZE_MAX : (size_t)max);
	struct text line = { 0 };

	put_walks(&walks, bytes, &line);
	out_wrapped(out, &line, 2);
	text_deinit(&line);

	if (walks.count < WATCH_HEAP_WALKS_MIN)
		print_too_few(&walks, out);
	else if (growing == 0 && walks.seconds <= 0)
		print_not_known(out);
	else if (growing == 0 && walks.classes > count)
		out_format(out,
		           "none of the %zu classes with the most bytes of new chunks grows; %zu "
		           "others were not examined\n",
		           count, walks.classes - count);
	else if (growing == 0)
		out_string(out, "no class of chunks grows\n");
	if (shown > 0) {
		print_difference(rss, classes, out);
		print_table(classes, shown, out);
	}
	if (shown < growing)
		out_format(out, "\xe2\x80\xa6 %zu more classes (to see them: --top)\n",
		           growing - shown);
}

bool watch_heap_print_wait(const struct watch_heap *heap, struct text *text)
{
	const struct watch_heap_walks walks = watch_heap_walks(heap);
	char duration[PM_DURATION_TEXT_SIZE];

	if (walks.count >= WATCH_HEAP_WALKS_MIN)
		return false;

	text_format(text, "heap: first result after %d walks; %" PRIu64 " done",
	            WATCH_HEAP_WALKS_MIN, walks.count);
	if (walks.running)
		text_string(text, ", one is running");
	else if (walks.allowed >= 1) {
		pm_format_duration(walks.allowed, duration);
		text_format(text, ", and --budget allows one every %s", duration);
	}
	if (walks.failure) {
		text_string(text, "; the last walk failed: ");
		utf8_escape(text, walks.failure, strlen(walks.failure));
	}
	return true;
}

bool watch_heap_print_line(const struct watch_heap *heap, size_t index, struct text *text)
{
	size_t count;
	const struct watch_heap_class *classes = watch_heap_classes(heap, &count);

	if (index >= growing_of(classes, count))
		return false;

	const struct watch_heap_class *class = &classes[index];
	delta_put_rate(text, class->bytes_rate);
	text_format(text, "  %.1f new/s  %" PRIu64 " B  %s  ", class->rate, class->survivors->size,
	            verdict_of(class));
	put_what(class, text);
	return true;
}

static void put_class(const struct watch_heap_class *class, struct json *json)
{
	const struct pm_census_class *survivors = class->survivors;

	json_open(json, NULL, '{');
	json_put(json, "count", json_number(survivors->count));
	json_put(json, "rate", json_real(class->rate));
	json_put(json, "bytes_rate", json_real(class->bytes_rate));
	if (class->net_known) {
		json_put(json, "net_count", json_integer(class->net_count));
		json_put(json, "net_bytes",
		         json_integer(class->net_count * (int64_t)survivors->size));
		json_put(json, "verdict", json_string(pm_verdict_name(class->trend.verdict)));
		json_put(json, "reason", json_text(class->trend.reason));
	}
	heap_classes_put_json(json, survivors, KEYS);
	json_shut(json, '}');
}

void watch_heap_print_json(const struct watch_heap *heap, struct json *json)
{
	const struct watch_heap_walks walks = watch_heap_walks(heap);
	size_t count;
	const struct watch_heap_class *classes = watch_heap_classes(heap, &count);

	json_put(json, "chunks", json_number(walks.chunks));
	json_put(json, "in_use", json_number(walks.bytes));
	json_put(json, "seconds", json_real(walks.seconds));
	json_put(json, "walk_count", json_number(walks.count));
	json_put(json, "walk_cost_us", json_number(convert_uint64(walks.cpu * 1e6)));
	json_put(json, "complete", json_boolean(walks.count > 0 && walks.incomplete == 0));
	json_open(json, "survivors", '[');
	for (size_t i = 0; i < count; i++)
		put_class(&classes[i], json);
	json_shut(json, ']');
}
