/* SPDX-License-Identifier: MIT */
#include "diff/chunks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/delta.h"
#include "base/minmax.h"
#include "base/report.h"
#include "view/table.h"

/* Number of classes that are shown by default. */
enum { CLASSES_SHOWN = 20 };

enum { DELTA, COUNT_DELTA, SIZE, BEFORE, AFTER, WHAT, COLUMNS };

static const struct table_column columns[COLUMNS] = {
	[DELTA] = { .title = "DELTA", .right = true },
	[COUNT_DELTA] = { .title = "CHUNKS", .right = true },
	[SIZE] = { .title = "SIZE", .right = true },
	[BEFORE] = { .title = "BEFORE", .right = true },
	[AFTER] = { .title = "AFTER", .right = true },
	[WHAT] = { .title = "WHAT" },
};

/** The table. */
struct view {
	const struct diff_chunks *chunks;
	bool bytes; /* print sizes in bytes */
};

/** Walks the heap of a living process. Returns whether its chunks are known. */
static bool walk(const struct sampled *sampled, struct pm_histogram *chunks, bool quiet)
{
	struct pm_error error;

	if (chunk_histogram_walk(sampled, chunks, &error) == 0)
		return true;
	if (!quiet)
		report_note("the chunks of malloc are not compared: %s", error.text);
	return false;
}

static bool is_live(const struct sampled *sampled)
{
	return sampled->identified && sampled->number == 0;
}

/** Checks whether two samples have the chunks of the same walk. */
static bool is_same(const struct sampled *before, uint64_t was, const struct sampled *after,
                    uint64_t is)
{
	if (was == 0 || was != is || before->number == after->number)
		return false;
	return sampled_same_recording(before, after);
}

/** Reads the chunks of both samples, and sets `known`. */
static int read_both(struct diff_chunks *chunks, const struct sampled *before,
                     const struct sampled *after, bool quiet, struct pm_error *error)
{
	uint64_t was = 0, is = 0;
	int first = chunk_histogram_load(before, &was, &chunks->before, error);
	if (first < 0)
		return -1;
	int second = chunk_histogram_load(after, &is, &chunks->after, error);
	if (second < 0)
		return -1;

	bool has_first = first > 0, has_second = second > 0;
	if (has_second && is_live(before))
		has_first = walk(before, &chunks->before, quiet);
	else if (has_first && is_live(after))
		has_second = walk(after, &chunks->after, quiet);

	chunks->sample_before = was == before->number ? 0 : was;
	chunks->sample_after = is == after->number ? 0 : is;
	chunks->known = has_first && has_second && !is_same(before, was, after, is);
	return 0;
}

int diff_chunks_init(struct diff_chunks *chunks, const struct diff_options *options,
                     const struct sampled *before, const struct sampled *after,
                     struct pm_error *error)
{
	*chunks = (struct diff_chunks){ 0 };
	if (!pm_select_is_everything(options->selection.select))
		return 0;
	if (read_both(chunks, before, after, options->output.quiet, error) < 0)
		return -1;
	if (!chunks->known)
		return 0;
	if (pm_histogram_compare(&chunks->before, &chunks->after, &chunks->changes, &chunks->count,
	                         error) < 0)
		return -1;

	chunks->shown = chunks->count;
	if (options->top_given)
		chunks->shown = pm_min_size(chunks->count, (size_t)options->top);
	else if (!options->output.json)
		chunks->shown = pm_min_size(chunks->count, CLASSES_SHOWN);
	return 0;
}

void diff_chunks_deinit(struct diff_chunks *chunks)
{
	pm_histogram_deinit(&chunks->before);
	pm_histogram_deinit(&chunks->after);
	free(chunks->changes);
	*chunks = (struct diff_chunks){ 0 };
}

static const struct pm_histogram_class *class_of(const struct pm_histogram_change *change)
{
	return change->after ? change->after : change->before;
}

/**
 * Adds the number of chunks of a class in a sample.
 * @param class  NULL: the sample does not have the class
 * @param bound  maximum number of bytes of a class that the sample does not have
 */
static void put_count(const struct pm_histogram_class *class, uint64_t bound, struct text *text)
{
	if (class)
		text_grouped(text, class->count);
	else if (bound == 0)
		text_char(text, '0');
	else
		text_char(text, '?');
}

/** Adds a change with its sign. */
static void put_change(int64_t change, struct text *text)
{
	text_char(text, change < 0 ? '-' : '+');
	text_grouped(text, change < 0 ? 0 - (uint64_t)change : (uint64_t)change);
}

static void cell(void *context, size_t row, size_t column, struct text *text)
{
	const struct view *view = context;
	const struct diff_chunks *chunks = view->chunks;
	const struct pm_histogram_change *change = &chunks->changes[row];

	switch (column) {
	case DELTA:
		if (change->uncertain > 0)
			text_char(text, '~');
		delta_put_bytes(text, change->bytes, view->bytes);
		break;
	case COUNT_DELTA:
		if (change->uncertain > 0)
			text_char(text, '~');
		put_change(change->count, text);
		break;
	case SIZE:
		text_decimal(text, class_of(change)->size);
		break;

	case BEFORE:
		put_count(change->before, chunks->before.bound, text);
		break;
	case AFTER:
		put_count(change->after, chunks->after.bound, text);
		break;
	default:
		chunk_histogram_put_what(class_of(change), text);
	}
}

static enum out_style style(void *context, size_t row, size_t column)
{
	const struct view *view = context;

	if (column == DELTA || column == COUNT_DELTA)
		return delta_style(view->chunks->changes[row].bytes);
	return columns[column].style;
}

/**
 * Adds the sums of a sample.
 * @param sample  number of the earlier sample that has the chunks, or 0
 */
static void put_sums_text(const struct pm_histogram *chunks, uint64_t sample, bool bytes,
                          struct text *line)
{
	chunk_histogram_put_sums(chunks, bytes, line);
	if (sample > 0)
		text_format(line, ", counted at sample %" PRIu64, sample);
}

static void print_heading(const struct diff_chunks *chunks, bool bytes, struct out *out)
{
	struct text line = { 0 };

	text_string(&line, "\nmalloc before: ");
	put_sums_text(&chunks->before, chunks->sample_before, bytes, &line);
	text_string(&line, "\nmalloc after:  ");
	put_sums_text(&chunks->after, chunks->sample_after, bytes, &line);
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

static void print_table(const struct diff_chunks *chunks, bool bytes, struct out *out)
{
	size_t widths[TABLE_COLUMNS_MAX];
	struct view view = { chunks, bytes };
	const struct table table = {
		.columns = columns,
		.column_count = COLUMNS,
		.rows = chunks->shown,
		.titles = true,
		.open_end = out->width == SIZE_MAX,
		.context = &view,
		.cell = cell,
		.style = style,
	};

	table_measure(&table, widths);
	table_print(&table, widths, out);
}

void diff_chunks_print(const struct diff_chunks *chunks, bool bytes, struct out *out)
{
	if (!chunks->known)
		return;

	print_heading(chunks, bytes, out);
	if (chunks->shown > 0)
		print_table(chunks, bytes, out);
	if (chunks->count == 0)
		out_string(out, "no class of chunks changed\n");
	else if (chunks->shown < chunks->count)
		out_format(out, "\xe2\x80\xa6 %zu more classes changed (to see them: --top)\n",
		           chunks->count - chunks->shown);
}

static void put_sums(struct json *json, const char *key, const struct pm_histogram *chunks,
                     uint64_t sample)
{
	json_open(json, key, '{');
	if (sample > 0)
		json_put(json, "sample", json_number(sample));
	chunk_histogram_put_sums_json(json, chunks);
	json_shut(json, '}');
}

static void put_change_json(const struct pm_histogram_change *change, struct json *json)
{
	static const struct pm_histogram_class none = { 0 };
	const struct pm_histogram_class *before = change->before ? change->before : &none;
	const struct pm_histogram_class *after = change->after ? change->after : &none;

	json_open(json, NULL, '{');
	chunk_histogram_put_class(json, class_of(change));
	json_put(json, "count_before", json_number(before->count));
	json_put(json, "count_after", json_number(after->count));
	json_put(json, "net_count", json_integer(change->count));
	json_put(json, "net_bytes", json_integer(change->bytes));
	if (change->uncertain > 0)
		json_put(json, "net_error", json_number(change->uncertain));
	json_shut(json, '}');
}

void diff_chunks_put_json(const struct diff_chunks *chunks, struct json *json)
{
	if (!chunks->known)
		return;

	json_open(json, "malloc", '{');
	put_sums(json, "before", &chunks->before, chunks->sample_before);
	put_sums(json, "after", &chunks->after, chunks->sample_after);
	json_shut(json, '}');

	json_open(json, "classes", '[');
	for (size_t i = 0; i < chunks->shown; i++)
		put_change_json(&chunks->changes[i], json);
	json_shut(json, ']');
}
