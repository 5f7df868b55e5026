/* SPDX-License-Identifier: MIT */
#include "strings/unique.h"

#include <string.h>

#include <procmem/text_template.h>

#include "base/minmax.h"
#include "base/utf8.h"
#include "strings/formats.h"
#include "strings/line.h"
#include "target/json_parts.h"
#include "view/csv.h"
#include "view/fold.h"
#include "view/results.h"

enum {
	OTHER_LINES =
		6, /* number of terminal lines for the command, the titles, notes and the prompt */
	ROWS_MIN = 10, /* minimum number of rows on a terminal, even if it has fewer lines */
	LENGTH_WIDTH = sizeof "LENGTH" - 1,
	BYTES_WIDTH = sizeof "1023.9K" - 1,
	LINE_MAX = 200,    /* maximum width of a row in columns, without a terminal */
	EXAMPLE_MAX = 100, /* maximum width of an example in columns */
	FORMATS_MAX = 32,  /* maximum number of rows for which a format is searched, because each is
	                      compared with all formats */
	STRIDES_MIN = 8,   /* minimum number of equal distances that are reported */
	COUNT_WIDTH =
		sizeof "COUNT", /* width of the column of counts, including a space before it */
	SINGLE_MIN = 1000, /* minimum number of strings that occur once for a note that suggests
	                      --similar */
};

/** Returns the number of rows to print. */
static size_t rows_of(const struct strings *strings)
{
	const struct strings_options *options = strings->options;
	const struct out *out = strings->search.out;
	size_t all = pm_tally_count(strings->tally);

	if (options->top_given && options->top > 0)
		return (size_t)pm_min(options->top, all);
	if (options->top_given || !out->terminal || options->search.output.json ||
	    options->search.output.csv)
		return all;
	if (out->height <= OTHER_LINES + ROWS_MIN)
		return pm_min_size(ROWS_MIN, all);

	return pm_min_size(out->height - OTHER_LINES, all);
}

/** Adds the text that is shown for all strings of an item. */
static void add_label(const struct pm_tally_item *item, struct text *label)
{
	label->length += pm_text_template_of_item(item, text_room(label, item->length));
}

/** Returns whether the strings of an item are equally far apart, often enough to report that. */
static bool has_stride(const struct pm_tally_item *item)
{
	return item->stride_count >= STRIDES_MIN && item->stride_count > (item->count - 1) / 2;
}

/** Finds the region that contains an address. Returns NULL if there is none. */
static const struct pm_region *region_at(const struct strings *strings, uint64_t address)
{
	return pm_regions_find(&strings->search.memory.loaded.regions, address);
}

/**
 * Finds the format that the strings of an item fit.
 *
 * @param row  index of the row
 * @return     the format, with length 0 if it is not known
 */
static struct format format_of(struct strings *strings, const struct pm_tally_item *item,
                               size_t row)
{
	if (!item->varied || row >= FORMATS_MAX)
		return (struct format){ .length = 0 };
	return formats_find(&strings->formats, item->text, item->length);
}

/** Writes the format that the strings of an item fit. */
static void put_format(const struct strings *strings, const struct format *format,
                       struct json *json)
{
	const struct pm_region *region = region_at(strings, format->address);

	json_open(json, "format", '{');
	json_put(json, "text", json_bytes(format->text, format->length));
	json_put(json, "address", json_address(format->address));
	if (!format->whole)
		json_put(json, "partial", json_true());
	if (region)
		json_parts_mapping(json, region);
	json_shut(json, '}');
}

/** Writes the text that is shown for all strings of an item and, if they differ, one of them. */
static void put_texts(const struct pm_tally_item *item, struct json *json)
{
	enum pm_encoding encoding = (enum pm_encoding)item->category;
	struct text label = { 0 };

	add_label(item, &label);
	json_put(json, "encoding",
	         json_string(strings_line_encoding(encoding, item->text, item->length)));
	json_put(json, "text", json_bytes(label.bytes, label.length));
	if (item->varied)
		json_put(json, "example", json_bytes(item->text, item->length));
	text_deinit(&label);
}

static void print_json(struct strings *strings, const struct pm_tally_item *item, size_t row)
{
	struct json json = { .out = strings->search.out, .one_line = true };
	struct format format = format_of(strings, item, row);

	json_open(&json, NULL, '{');
	json_parts_process(&json, strings->pid, NULL, NULL);
	json_put(&json, "count", json_number(item->count));
	if (item->missed > 0)
		json_put(&json, "low_by", json_number(item->missed));
	json_put(&json, "bytes", json_number(item->size));
	if (!strings->options->similar)
		json_put(&json, "length", json_number(item->size / item->count));

	put_texts(item, &json);
	json_put(&json, "first", json_address(item->first));
	if (has_stride(item)) {
		json_put(&json, "stride", json_number(item->stride));
		json_put(&json, "stride_count", json_number(item->stride_count));
	}
	if (format.length > 0)
		put_format(strings, &format, &json);

	json_shut(&json, '}');
	out_string(strings->search.out, "\n");
}

/** Widths of the columns of numbers, in characters. */
struct widths {
	size_t count;
	size_t length; /* 0 if there is no such column */
};

/** Returns `width`, or the width of `number` if that is larger. */
static size_t fit_number(size_t width, uint64_t number)
{
	struct text digits = { 0 };
	text_grouped(&digits, number);
	width = pm_max_size(width, digits.length);
	text_deinit(&digits);
	return width;
}

/** Returns the widths that the first `rows` rows need. */
static struct widths widths_of(const struct strings *strings, size_t rows)
{
	struct widths widths = { COUNT_WIDTH, LENGTH_WIDTH };

	for (size_t i = 0; i < rows; i++) {
		const struct pm_tally_item *item = pm_tally_get(strings->tally, i);
		widths.count = fit_number(widths.count, item->count);
		widths.length = fit_number(widths.length, item->size / item->count);
	}

	if (strings->options->similar)
		widths.length = 0;
	return widths;
}

/** Adds a text, aligned to the right end of a column. */
static void add_right(struct text *line, const struct text *text, size_t width)
{
	text_fill(line, ' ', pm_max_size(width, text->length) - text->length);
	text_bytes(line, text->bytes, text->length);
}

/** Cuts a line so that the part from `start` on has at most `columns` columns. */
static void cut_to_columns(struct text *line, size_t start, size_t columns)
{
	char *bytes = line->bytes + start;
	size_t length = line->length - start;
	if (utf8_columns(bytes, length) <= columns)
		return;

	line->length = start + utf8_fit(bytes, length, columns - 1);
	text_string(line, "\xe2\x80\xa6");
}

/** Returns the maximum width of a row, in columns. */
static size_t row_width(const struct out *out)
{
	size_t width = pm_min_size(out->width, LINE_MAX);

	/* In a session, the number of the row is printed first and needs room. */
	if (out->results && out->width != SIZE_MAX && width > RESULTS_NUMBER_WIDTH)
		width -= RESULTS_NUMBER_WIDTH;
	return width;
}

/**
 * Adds the characters of a string: repetitions are folded, and what does not fit into a number of
 * columns is cut. With --raw, the characters are unchanged.
 */
static void add_characters(const struct strings *strings, struct text *line, const char *text,
                           size_t length, size_t columns)
{
	struct text folded = { 0 };
	size_t start = line->length;

	if (strings->options->raw) {
		text_bytes(line, text, length);
		return;
	}

	fold_repetitions(&folded, text, length);
	strings_line_add_text(strings->options, line, folded.bytes, folded.length);
	text_deinit(&folded);

	/* A tab has a width that depends on the column. */
	for (char *tab; (tab = memchr(line->bytes + start, '\t', line->length - start));)
		*tab = ' ';
	cut_to_columns(line, start, columns);
}

/** Adds the numbers of a row, and the letter of the encoding if there are several. */
static void add_numbers(const struct strings *strings, const struct pm_tally_item *item,
                        const struct widths *widths, struct text *line)
{
	struct text number = { 0 };

	text_grouped(&number, item->count);
	text_char(&number, item->missed > 0 ? '+' : ' ');
	add_right(line, &number, widths->count + 1);

	text_clear(&number);
	text_size(&number, item->size);
	add_right(line, &number, BYTES_WIDTH);

	if (widths->length > 0) {
		text_clear(&number);
		text_grouped(&number, item->size / item->count);
		add_right(line, &number, widths->length + 2);
	}

	text_string(line, "  ");
	if (strings->several) {
		text_char(line, strings_options_letter((enum pm_encoding)item->category));
		text_char(line, ' ');
	}
	text_deinit(&number);
}

/** Adds what a row says about the format that its strings fit. */
static void add_format(const struct strings *strings, const struct format *format,
                       struct text *line)
{
	const struct pm_region *region = region_at(strings, format->address);
	const char *mapping = region ? region->mapping : "";

	text_string(line, format->whole ? "fits \"" : "starts as \"");
	utf8_escape(line, format->text, format->length);
	text_string(line, "\" in ");
	if (*mapping) {
		utf8_escape(line, mapping, strlen(mapping));
	} else {
		text_string(line, "the text at ");
		text_hex(line, format->address, 1);
	}
}

/** Adds an item to a list. `start` is the offset of the list in the line. */
static void add_separator(struct text *line, size_t start)
{
	if (line->length > start)
		text_string(line, "; ");
}

/**
 * Prints the line below a row, if there is more to say about its strings: an example, their
 * distance, and the format that they fit.
 *
 * @param row     index of the row
 * @param indent  number of spaces before the line
 * @return        number of lines printed
 */
static size_t print_details(struct strings *strings, const struct pm_tally_item *item, size_t row,
                            size_t indent)
{
	struct text line = { 0 };
	struct format format = format_of(strings, item, row);

	text_fill(&line, ' ', indent);
	if (item->varied) {
		text_string(&line, "e.g. \"");
		add_characters(strings, &line, item->text, item->length, EXAMPLE_MAX);
		text_char(&line, '"');
	}

	if (has_stride(item)) {
		add_separator(&line, indent);
		text_grouped(&line, item->stride);
		text_string(&line, " bytes apart \xc3\x97");
		text_grouped(&line, item->stride_count);
	}

	if (format.length > 0) {
		add_separator(&line, indent);
		add_format(strings, &format, &line);
	}

	size_t lines = 0;
	if (line.length > indent) {
		text_char(&line, '\n');
		lines = out_wrapped(strings->search.out, &line, indent);
	}
	text_deinit(&line);
	return lines;
}

/** Returns whether the strings of an item are longer than the text that is stored of them. */
static bool is_longer(const struct pm_tally_item *item)
{
	size_t unit = pm_encoding_unit((enum pm_encoding)item->category);
	return !item->varied && item->size / item->count > (uint64_t)item->length * unit;
}

/** Prints a row. Returns the number of lines printed. */
static size_t print_row(struct strings *strings, size_t row, const struct widths *widths)
{
	struct out *out = strings->search.out;
	const struct pm_tally_item *item = pm_tally_get(strings->tally, row);
	struct text line = { 0 }, label = { 0 };
	enum pm_encoding encoding = (enum pm_encoding)item->category;

	add_numbers(strings, item, widths, &line);
	size_t indent = line.length, width = row_width(out);
	add_label(item, &label);
	if (is_longer(item) && !strings->options->raw)
		text_string(&label, "\xe2\x80\xa6");
	add_characters(strings, &line, label.bytes, label.length,
	               pm_max_size(width, indent + 1) - indent);
	text_char(&line, '\n');

	results_print_hit(out, item->first, item->length * pm_encoding_unit(encoding), item->text,
	                  item->length);
	out_text(out, &line);
	text_deinit(&label);
	text_deinit(&line);

	if (out->results)
		indent += RESULTS_NUMBER_WIDTH;
	return 1 + print_details(strings, item, row, indent);
}

static void print_titles(const struct strings *strings, const struct widths *widths)
{
	struct out *out = strings->search.out;

	if (out->results)
		out_blanks(out, RESULTS_NUMBER_WIDTH);
	out_blanks(out, widths->count - (sizeof "COUNT" - 1));
	out_format(out, "COUNT %*s", BYTES_WIDTH, "BYTES");
	if (widths->length > 0)
		out_format(out, "  %*s", (int)widths->length, "LENGTH");
	out_string(out, strings->several ? "  E TEXT\n" : "  TEXT\n");
}

/** Reports that strings were dropped because of the budget, and how this affects the counts. */
static void report_dropped(const struct strings *strings)
{
	struct text line = { 0 };
	uint64_t dropped = pm_tally_dropped(strings->tally);

	if (dropped == 0 || strings->options->search.output.quiet)
		return;

	text_string(&line, "the counting budget was used up, so rare strings were dropped (");
	text_grouped(&line, dropped);
	text_string(&line, dropped == 1 ? " time" : " times");
	text_string(&line, "): only strings that occur at most ");
	text_grouped(&line, pm_tally_bound(strings->tally));
	text_string(&line, " times can be missing, and counts marked + may be up to ");
	text_grouped(&line, pm_tally_bound(strings->tally));
	text_string(&line, " too low; use a larger --budget to avoid this");

	report_note("%s", text_terminate(&line));
	text_deinit(&line);
}

/**
 * Counts the strings in machine code. Parts of the code look like text, and make real strings hard
 * to find.
 */
static void count_code(struct strings *strings, size_t rows)
{
	const struct pm_regions *regions = &strings->search.memory.loaded.regions;
	struct strings_advice *advice = strings->advice;
	size_t code = 0;

	for (size_t i = 0; i < rows; i++) {
		uint64_t first = pm_tally_get(strings->tally, i)->first;
		const struct pm_region *region = pm_regions_find(regions, first);
		code += region && (region->perms & PM_PERM_EXEC);
	}
	if (code == 0)
		return;

	advice->code += code;
	advice->rows += rows;
	advice->code_processes++;
}

/**
 * Counts the strings that occur only once, if these are the majority. Strings of leaked objects
 * often differ only in a number; without --similar, each is counted separately.
 */
static void count_single(struct strings *strings)
{
	struct strings_advice *advice = strings->advice;
	size_t all = pm_tally_count(strings->tally), single = 0;

	for (size_t i = 0; i < all; i++)
		single += pm_tally_get(strings->tally, i)->count == 1;
	if (single < SINGLE_MIN || single < all / 2)
		return;

	advice->single += single;
	advice->all += all;
	advice->single_processes++;
}

/** Adds the number of processes that a note is about, if there are several. */
static void put_processes(struct text *line, size_t processes)
{
	if (processes > 1)
		text_format(line, " of %zu processes", processes);
}

static void report_code(const struct strings_advice *advice)
{
	struct text line = { 0 };

	text_format(&line, "the first occurrence of %zu of these %zu strings", advice->code,
	            advice->rows);
	put_processes(&line, advice->code_processes);
	report_note("%s is in machine code; many strings in machine code have no meaning: use "
	            "--perms rw to exclude machine code",
	            text_terminate(&line));
	text_deinit(&line);
}

static void report_single(const struct strings_advice *advice)
{
	struct text line = { 0 };

	text_grouped(&line, advice->single);
	text_string(&line, " of the ");
	text_grouped(&line, advice->all);
	text_string(&line, " distinct strings");
	put_processes(&line, advice->single_processes);
	report_note("%s occur once: use --similar to count strings together if they differ only in "
	            "numbers",
	            text_terminate(&line));
	text_deinit(&line);
}

void strings_unique_advise(const struct strings_options *options, const struct out *out,
                           const struct strings_advice *advice)
{
	if (options->search.output.quiet || options->search.output.json)
		return;

	if (advice->code > 0 && !options->search.selection.perms_given)
		report_code(advice);
	if (advice->single > 0 && !options->similar && out->terminal)
		report_single(advice);
}

/** Prints the number of rows that are not shown. */
static void print_more(struct out *out, size_t rows)
{
	struct text number = { 0 };
	text_grouped(&number, rows);
	out_format(out, "\xe2\x80\xa6 %s more (all: --top 0)\n", text_terminate(&number));
	text_deinit(&number);
}

/**
 * Prints the rows. On a terminal, stops when it is full, unless --top was given.
 * @param rows  maximum number of rows
 * @return      number of rows printed
 */
static size_t print_rows(struct strings *strings, size_t rows)
{
	struct out *out = strings->search.out;
	const struct widths widths = widths_of(strings, rows);
	size_t max = SIZE_MAX, lines = 0, row = 0;

	if (out->terminal && !strings->options->top_given)
		max = pm_max_size(out->height, OTHER_LINES + ROWS_MIN) - OTHER_LINES;
	if (strings->pid > 0)
		out_format(out, "%d:\n", (int)strings->pid);
	if (rows > 0)
		print_titles(strings, &widths);

	while (row < rows && lines < max && !out_failed(out))
		lines += print_row(strings, row++, &widths);
	return row;
}

/** Prints a row of CSV. */
static void put_csv_row(const struct strings *strings, const struct pm_tally_item *item,
                        struct csv *csv)
{
	struct text text = { 0 };

	if (strings->pid > 0)
		csv_number(csv, (uint64_t)strings->pid);
	else
		csv_none(csv);
	csv_number(csv, item->count);
	csv_number(csv, item->size);
	if (strings->options->similar)
		csv_none(csv);
	else
		csv_number(csv, item->size / item->count);
	csv_number(csv, item->missed);
	csv_string(csv, pm_encoding_name((enum pm_encoding)item->category));
	csv_address(csv, item->first);
	add_label(item, &text);
	csv_bytes(csv, text.bytes, text.length);
	csv_end(csv);
	text_deinit(&text);
}

void strings_unique_csv_header(struct out *out)
{
	out_string(out, "pid,count,bytes,length,low_by,encoding,first,text\n");
}

static void print_csv(const struct strings *strings, size_t rows)
{
	struct out *out = strings->search.out;
	struct csv csv = { .out = out };

	for (size_t i = 0; i < rows && !out_failed(out); i++)
		put_csv_row(strings, pm_tally_get(strings->tally, i), &csv);
	csv_deinit(&csv);
}

void strings_unique_print(struct strings *strings)
{
	struct out *out = strings->search.out;
	size_t rows = rows_of(strings), all = pm_tally_count(strings->tally);

	pm_tally_sort(strings->tally, strings->options->order);
	if (strings->options->search.output.json) {
		for (size_t i = 0; i < rows && !out_failed(out); i++)
			print_json(strings, pm_tally_get(strings->tally, i), i);
	} else if (strings->options->search.output.csv) {
		print_csv(strings, rows);
	} else {
		rows = print_rows(strings, rows);
		if (rows < all)
			print_more(out, all - rows);
	}

	out_flush(out);
	count_code(strings, rows);
	count_single(strings);
	report_dropped(strings);
}
