/* SPDX-License-Identifier: MIT */
#include "strings/unique.h"

#include <string.h>

#include <procmem/text_template.h>

#include "base/minmax.h"
#include "base/utf8.h"
#include "strings/line.h"
#include "view/json.h"
#include "view/results.h"

enum {
	OTHER_LINES =
		6, /* number of terminal lines for the command, the titles, notes and the prompt */
	ROWS_MIN = 10, /* minimum number of rows on a terminal, even if it has fewer lines */
	LENGTH_WIDTH = sizeof "LENGTH" - 1,
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
	if (options->top_given || !out->terminal || options->search.output.json)
		return all;
	if (out->height <= OTHER_LINES + ROWS_MIN)
		return pm_min_size(ROWS_MIN, all);

	return pm_min_size(out->height - OTHER_LINES, all);
}

/**
 * Returns the number of bytes that a row shows: with --similar the total of all similar strings,
 * otherwise the length of the string. Very long strings can count as equal although their lengths
 * differ; in this case the mean of their lengths is returned.
 */
static uint64_t size_of(const struct strings *strings, const struct pm_tally_item *item)
{
	return strings->options->similar ? item->size : item->size / item->count;
}

/** Adds the text that is shown for all strings of an item. */
static void add_label(const struct pm_tally_item *item, struct text *label)
{
	label->length += pm_text_template_of_item(item, text_room(label, item->length));
}

static void print_json(struct strings *strings, const struct pm_tally_item *item)
{
	struct text line = { 0 }, label = { 0 };
	enum pm_encoding encoding = (enum pm_encoding)item->category;

	text_string(&line, "{\"count\":");
	text_decimal(&line, item->count);
	if (item->missed > 0) {
		text_string(&line, ",\"low_by\":");
		text_decimal(&line, item->missed);
	}

	text_string(&line, ",\"encoding\":\"");
	text_string(&line, strings_line_encoding(encoding, item->text, item->length));
	text_string(&line, strings->options->similar ? "\",\"bytes\":" : "\",\"length\":");
	text_decimal(&line, size_of(strings, item));

	add_label(item, &label);
	text_string(&line, ",\"text\":");
	json_quote(&line, label.bytes, label.length);
	if (item->varied) {
		text_string(&line, ",\"example\":");
		json_quote(&line, item->text, item->length);
	}

	text_string(&line, ",\"first\":\"0x");
	text_hex(&line, item->first, 1);
	text_string(&line, "\"}\n");
	out_text(strings->search.out, &line);
	text_deinit(&label);
	text_deinit(&line);
}

/** Widths of the columns of numbers, in characters. */
struct widths {
	size_t count;
	size_t size;
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
		if (strings->options->similar)
			widths.size = fit_number(widths.size, item->size);
	}

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

/**
 * Adds the characters of a string. On a terminal, cuts them so that the line fits the width of the
 * terminal.
 */
static void add_characters(const struct strings *strings, struct text *line,
                           const struct text *characters)
{
	const struct out *out = strings->search.out;
	size_t width = out->width, start = line->length;

	strings_line_add_text(strings->options, line, characters->bytes, characters->length);
	if (width == SIZE_MAX)
		return;

	/* In a session, the number of the row is printed first and needs room. */
	if (out->results && width > RESULTS_NUMBER_WIDTH)
		width -= RESULTS_NUMBER_WIDTH;

	for (char *tab; (tab = memchr(line->bytes + start, '\t', line->length - start));)
		*tab = ' ';
	cut_to_columns(line, start, pm_max_size(width, start + 1) - start);
}

static void print_row(const struct strings *strings, const struct pm_tally_item *item,
                      const struct widths *widths)
{
	struct text line = { 0 }, number = { 0 }, label = { 0 };
	enum pm_encoding encoding = (enum pm_encoding)item->category;

	text_grouped(&number, item->count);
	text_char(&number, item->missed > 0 ? '+' : ' ');
	add_right(&line, &number, widths->count + 1);
	text_char(&line, ' ');

	text_clear(&number);
	text_grouped(&number, size_of(strings, item));
	add_right(&line, &number, widths->size);
	text_string(&line, "  ");

	if (strings->several) {
		text_char(&line, strings_options_letter(encoding));
		text_char(&line, ' ');
	}
	add_label(item, &label);
	add_characters(strings, &line, &label);
	text_char(&line, '\n');

	results_print_hit(strings->search.out, item->first,
	                  item->length * pm_encoding_unit(encoding), item->text, item->length);
	out_text(strings->search.out, &line);
	text_deinit(&label);
	text_deinit(&number);
	text_deinit(&line);
}

static void print_titles(const struct strings *strings, const struct widths *widths)
{
	struct out *out = strings->search.out;
	const char *size = strings->options->similar ? "BYTES" : "LENGTH";

	if (out->results)
		out_blanks(out, RESULTS_NUMBER_WIDTH);
	out_blanks(out, widths->count - (sizeof "COUNT" - 1));
	out_format(out, "COUNT  %*s  ", (int)widths->size, size);
	out_string(out, strings->several ? "E TEXT\n" : "TEXT\n");
}

/** Reports that strings were dropped because of the budget, and how this affects the counts. */
static void report_dropped(const struct strings *strings)
{
	struct text line = { 0 };
	uint64_t dropped = pm_tally_dropped(strings->tally);

	if (dropped == 0 || strings->options->search.output.quiet)
		return;

	text_string(&line, "the counting budget was used up, and rare strings were dropped (");
	text_grouped(&line, dropped);
	text_string(&line, dropped == 1 ? " time" : " times");
	text_string(&line, "). Strings that occur more than ");
	text_grouped(&line, pm_tally_bound(strings->tally));
	text_string(&line, " times are all counted; counts marked + may be up to ");
	text_grouped(&line, pm_tally_bound(strings->tally));
	text_string(&line, " too low. Use a larger --budget to avoid this");

	report_note("%s", text_terminate(&line));
	text_deinit(&line);
}

/**
 * Reports how to exclude machine code. Parts of the code look like text, and make real strings hard
 * to find.
 */
static void report_code(const struct strings *strings, size_t rows)
{
	const struct strings_options *options = strings->options;
	const struct pm_regions *regions = &strings->search.memory.loaded.regions;
	size_t code = 0;

	for (size_t i = 0; i < rows; i++) {
		uint64_t first = pm_tally_get(strings->tally, i)->first;
		const struct pm_region *region = pm_regions_find(regions, first);
		code += region && (region->perms & PM_PERM_EXEC);
	}

	if (code > 0 && !options->search.selection.perms_given && !options->search.output.quiet &&
	    !options->search.output.json)
		report_note("%zu of these %zu strings were first found in machine code; use "
		            "--perms rw to exclude code",
		            code, rows);
}

/**
 * Suggests --similar if most strings occur only once. The strings of leaked objects often differ
 * only in a number; without --similar, each of them is counted on its own.
 */
static void report_single(const struct strings *strings)
{
	const struct strings_options *options = strings->options;
	size_t all = pm_tally_count(strings->tally), single = 0;

	if (options->similar || options->search.output.quiet || options->search.output.json ||
	    !strings->search.out->terminal)
		return;

	while (single < all && pm_tally_get(strings->tally, all - 1 - single)->count == 1)
		single++;
	if (single < SINGLE_MIN || single < all / 2)
		return;

	struct text line = { 0 };
	text_grouped(&line, single);
	text_string(&line, " of the ");
	text_grouped(&line, all);
	text_string(&line, " distinct strings occur once: --similar counts strings that differ "
	                   "only in numbers as one");
	report_note("%s", text_terminate(&line));
	text_deinit(&line);
}

/** Prints the number of rows that are not shown. */
static void print_more(struct out *out, size_t rows)
{
	struct text number = { 0 };
	text_grouped(&number, rows);
	out_format(out, "\xe2\x80\xa6 %s more (all: --top 0)\n", text_terminate(&number));
	text_deinit(&number);
}

void strings_unique_print(struct strings *strings)
{
	struct out *out = strings->search.out;
	bool json = strings->options->search.output.json;
	size_t rows = rows_of(strings), all = pm_tally_count(strings->tally);

	pm_tally_sort(strings->tally);
	const struct widths widths = widths_of(strings, json ? 0 : rows);
	if (!json && rows > 0)
		print_titles(strings, &widths);

	for (size_t i = 0; i < rows && !out_failed(out); i++) {
		const struct pm_tally_item *item = pm_tally_get(strings->tally, i);
		if (json)
			print_json(strings, item);
		else
			print_row(strings, item, &widths);
	}

	if (!json && rows < all)
		print_more(out, all - rows);

	out_flush(out);
	report_code(strings, rows);
	report_single(strings);
	report_dropped(strings);
}
