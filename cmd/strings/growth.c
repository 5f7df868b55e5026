/* SPDX-License-Identifier: MIT */
/*
 * Of the first moment, a table of the hashes of all texts is kept, with their counts: the texts
 * themselves would need as much memory again. A hash has 64 bits and depends on a random number, so
 * that a target cannot choose texts with equal hashes.
 */
#include "strings/growth.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>
#include <procmem/text_template.h>

#include "base/alloc.h"
#include "base/delta.h"
#include "base/minmax.h"
#include "base/report.h"
#include "base/utf8.h"
#include "strings/line.h"
#include "target/json_parts.h"
#include "view/csv.h"
#include "view/results.h"

enum {
	ROWS_DEFAULT = 20, /* rows that are printed on a terminal without --top */
	TEXT_COLUMNS_MIN = 20,
	PIPE_COLUMNS = 120,
	NUMBER_WIDTH = 12,
};

/** The count of a text at the first moment. */
struct entry {
	uint64_t hash, count, size; /* `count` 0: the place is free */
};

struct strings_counts {
	struct entry *entries; /* hashed by `hash`, with linear probing */
	size_t mask;           /* number of places minus 1; the number is a power of 2 */
	uint64_t bound;        /* pm_tally_bound() of the first moment */
};

/** A text that grew. */
struct row {
	const struct pm_tally_item *item;
	uint64_t count; /* 0 if there are not more, but longer ones */
	uint64_t bytes;
};

/** Adds the text for which an item is counted. */
static void add_label(const struct pm_tally_item *item, struct text *label)
{
	label->length += pm_text_template_of_item(item, text_room(label, item->length));
}

static uint64_t hash_of(const struct pm_tally *hasher, const struct pm_tally_item *item,
                        struct text *label)
{
	text_clear(label);
	add_label(item, label);
	return pm_tally_hash(hasher, item->category, label->bytes ? label->bytes : "",
	                     label->length);
}

/** Returns the place of a hash: its entry, or the free one where it belongs. */
static struct entry *place_of(const struct strings_counts *counts, uint64_t hash)
{
	size_t at = (size_t)hash & counts->mask;
	while (counts->entries[at].count > 0 && counts->entries[at].hash != hash)
		at = (at + 1) & counts->mask;
	return &counts->entries[at];
}

struct strings_counts *strings_growth_keep(const struct pm_tally *tally,
                                           const struct pm_tally *hasher)
{
	struct strings_counts *counts = alloc_array(NULL, 1, sizeof *counts);
	size_t all = pm_tally_count(tally), places = 16;
	struct text label = { 0 };

	while (places / 2 < all)
		places *= 2;
	*counts = (struct strings_counts){ .entries = alloc_array(NULL, places,
		                                                  sizeof *counts->entries),
		                           .mask = places - 1,
		                           .bound = pm_tally_bound(tally) };
	memset(counts->entries, 0, places * sizeof *counts->entries);

	for (size_t i = 0; i < all; i++) {
		const struct pm_tally_item *item = pm_tally_get(tally, i);
		uint64_t hash = hash_of(hasher, item, &label);
		struct entry *entry = place_of(counts, hash);

		entry->hash = hash;
		entry->count += item->count;
		entry->size += item->size;
	}

	text_deinit(&label);
	return counts;
}

void strings_growth_free(struct strings_counts *counts)
{
	if (counts)
		free(counts->entries);
	free(counts);
}

/** Orders rows by descending growth; equal ones by the address of the first string. */
static int compare(const void *one, const void *other)
{
	const struct row *a = one, *b = other;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return a->item->first < b->item->first ? -1 : a->item->first > b->item->first;
}

/** Finds the texts that grew. @return the rows, sorted; owned by the caller */
static struct row *find_rows(const struct strings *strings, const struct strings_counts *before,
                             size_t *found)
{
	size_t all = pm_tally_count(strings->tally), count = 0;
	struct row *rows = alloc_array(NULL, all + 1, sizeof *rows);
	struct text label = { 0 };

	for (size_t i = 0; i < all; i++) {
		const struct pm_tally_item *item = pm_tally_get(strings->tally, i);
		const struct entry *entry = place_of(before, hash_of(strings->tally, item, &label));
		if (item->size <= entry->size)
			continue;
		rows[count++] = (struct row){ .item = item,
			                      .count = pm_max(item->count, entry->count) -
			                               entry->count,
			                      .bytes = item->size - entry->size };
	}

	qsort(rows, count, sizeof *rows, compare);
	text_deinit(&label);
	*found = count;
	return rows;
}

static void print_json(const struct strings *strings, const struct row *row)
{
	struct json json = { .out = strings->search.out, .one_line = true };
	const struct pm_tally_item *item = row->item;
	enum pm_encoding encoding = (enum pm_encoding)item->category;
	struct text label = { 0 };

	add_label(item, &label);
	json_open(&json, NULL, '{');
	json_put(&json, "count", json_number(item->count));
	json_put(&json, "count_growth", json_number(row->count));
	json_put(&json, "bytes", json_number(item->size));
	json_put(&json, "bytes_growth", json_number(row->bytes));
	json_put(&json, "encoding",
	         json_string(strings_line_encoding(encoding, item->text, item->length)));
	json_put(&json, "text", json_bytes(label.bytes, label.length));
	if (item->varied)
		json_put(&json, "example", json_bytes(item->text, item->length));
	json_put(&json, "first", json_address(item->first));
	json_shut(&json, '}');
	out_string(strings->search.out, "\n");
	text_deinit(&label);
}

static void print_csv(const struct row *row, struct csv *csv)
{
	const struct pm_tally_item *item = row->item;
	struct text label = { 0 };

	add_label(item, &label);
	csv_number(csv, item->count);
	csv_number(csv, row->count);
	csv_number(csv, item->size);
	csv_number(csv, row->bytes);
	csv_string(csv, pm_encoding_name((enum pm_encoding)item->category));
	csv_address(csv, item->first);
	csv_bytes(csv, label.bytes, label.length);
	csv_end(csv);
	text_deinit(&label);
}

/** Adds a number with a plus sign, aligned to the right. */
static void add_right(struct text *line, const struct text *number)
{
	text_fill(line, ' ', pm_max_size(number->length + 1, NUMBER_WIDTH) - number->length - 1);
	text_char(line, '+');
	text_bytes(line, number->bytes, number->length);
}

static void print_row(const struct strings *strings, const struct row *row)
{
	struct out *out = strings->search.out;
	struct text line = { 0 }, number = { 0 }, label = { 0 };
	size_t width = out->width == SIZE_MAX ? PIPE_COLUMNS : out->width;

	text_grouped(&number, row->count);
	add_right(&line, &number);
	text_clear(&number);
	text_size(&number, row->bytes);
	add_right(&line, &number);
	text_string(&line, "  ");

	size_t start = line.length;
	add_label(row->item, &label);
	strings_line_add_text(strings->options, &line, label.bytes, label.length);
	for (char *tab; (tab = memchr(line.bytes + start, '\t', line.length - start));)
		*tab = ' ';
	size_t room = pm_max_size(width, start + TEXT_COLUMNS_MIN) - start;
	line.length = start + utf8_fit(line.bytes + start, line.length - start, room);
	text_char(&line, '\n');

	results_print_hit(out, row->item->first, row->item->size / row->item->count,
	                  row->item->text, pm_min_size(row->item->length, RESULTS_TEXT_MAX));
	out_text(out, &line);
	text_deinit(&label);
	text_deinit(&number);
	text_deinit(&line);
}

/** Prints the answer: the number of texts that grew, and the growth. */
static void print_heading(const struct strings *strings, const struct row *rows, size_t count,
                          double seconds)
{
	char duration[PM_DURATION_TEXT_SIZE];
	struct text line = { 0 };
	uint64_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += rows[i].bytes;

	pm_format_duration(seconds, duration);
	text_grouped(&line, count);
	text_format(&line, " %s grew in %s", count == 1 ? "string" : "distinct strings", duration);
	if (count > 0) {
		text_string(&line, ", by ");
		text_size(&line, bytes);
	}
	text_char(&line, '\n');
	out_wrapped(strings->search.out, &line, 2);
	text_deinit(&line);
	if (count > 0)
		out_format(strings->search.out, "%*s%*s  TEXT\n", NUMBER_WIDTH, "COUNT",
		           NUMBER_WIDTH, "BYTES");
}

/** Reports that growth can be too high, because rare strings were dropped from the counts. */
static void report_dropped(const struct strings *strings, const struct strings_counts *before)
{
	if (before->bound == 0 || strings->options->search.output.quiet)
		return;
	report_note(
		"the counting budget was used up at the first moment: the growth of a string can "
		"be up to %llu too high; use a larger --budget to avoid this",
		(unsigned long long)before->bound);
}

/** Returns the number of rows to print. */
static size_t shown_of(const struct strings *strings, size_t count)
{
	const struct strings_options *options = strings->options;
	const struct output_options *output = &options->search.output;

	if (options->top_given && options->top > 0)
		return (size_t)pm_min(options->top, count);
	if (options->top_given || output->json || output->csv || !strings->search.out->terminal)
		return count;
	return pm_min_size(count, ROWS_DEFAULT);
}

size_t strings_growth_print(struct strings *strings, const struct strings_counts *before,
                            double seconds)
{
	const struct output_options *output = &strings->options->search.output;
	struct out *out = strings->search.out;
	struct csv csv = { .out = out };
	size_t count;

	pm_tally_sort(strings->tally, PM_TALLY_BY_BYTES);
	struct row *rows = find_rows(strings, before, &count);
	size_t shown = shown_of(strings, count);

	if (output->csv)
		out_string(out, "count,count_growth,bytes,bytes_growth,encoding,first,text\n");
	else if (!output->json)
		print_heading(strings, rows, count, seconds);
	for (size_t i = 0; i < shown && !out_failed(out); i++) {
		if (output->json)
			print_json(strings, &rows[i]);
		else if (output->csv)
			print_csv(&rows[i], &csv);
		else
			print_row(strings, &rows[i]);
	}
	if (shown < count && !output->json && !output->csv)
		out_format(out, "\xe2\x80\xa6 %zu more (all: --top 0)\n", count - shown);

	out_flush(out);
	report_dropped(strings, before);
	csv_deinit(&csv);
	free(rows);
	return count;
}
