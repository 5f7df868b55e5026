/* SPDX-License-Identifier: MIT */
#include "strings/unique.h"

#include "base/minmax.h"
#include "base/utf8.h"
#include "strings/line.h"
#include "strings/options.h"
#include "strings/parts.h"
#include "target/similarity.h"
#include "view/json.h"
#include "view/results.h"

enum {
	OTHER_LINES =
		6, /* of a terminal: the command, the titles, what is told below, the prompt */
	ROWS_MIN = 10,
	LENGTH_WIDTH = 6, /* of the title */
	COUNT_WIDTH = 6,
};

/** How many rows to print. */
static size_t rows_of(const struct strings *strings)
{
	const struct strings_options *options = strings->options;
	const struct out *out = strings->search.out;
	size_t all = tally_count(strings->tally), rows = all;
	if (options->top_given)
		rows = options->top > 0 && options->top < all ? (size_t)options->top : all;
	else if (out->terminal && !options->search.output.json)
		rows = out->height > OTHER_LINES + ROWS_MIN ? out->height - OTHER_LINES : ROWS_MIN;
	return pm_min_size(rows, all);
}

/**
 * Bytes of the strings in memory: of all similar ones, else of one; very long ones may be equal up
 * to different lengths.
 */
static uint64_t size_of(const struct strings *strings, const struct tally_item *item)
{
	return strings->options->similar ? item->size : item->size / item->count;
}

/**
 * What stands for all similar strings.
 * @param common empty; the caller's
 */
static void take_common(const struct tally_item *item, struct text *common)
{
	char *to = text_room(common, item->length);
	common->length = similar_text(item->varied, to, item->text, item->length);
}

static void print_json(struct strings *strings, const struct tally_item *item)
{
	struct text line = { 0 }, common = { 0 };

	take_common(item, &common);
	text_string(&line, "{\"count\":");
	text_decimal(&line, item->count);

	if (item->missed > 0) {
		text_string(&line, ",\"low_by\":");
		text_decimal(&line, item->missed);
	}

	text_string(&line, ",\"encoding\":\"");
	text_string(&line,
	            strings_line_encoding((enum pm_encoding)item->sort, item->text, item->length));
	text_string(&line, strings->options->similar ? "\",\"bytes\":" : "\",\"length\":");
	text_decimal(&line, size_of(strings, item));
	text_string(&line, ",\"text\":");
	json_quote(&line, common.bytes, common.length);

	if (item->varied) {
		text_string(&line, ",\"example\":");
		json_quote(&line, item->text, item->length);
	}

	text_string(&line, ",\"first\":\"0x");
	text_hex(&line, item->first, 1);
	text_string(&line, "\"}\n");
	out_text(strings->search.out, &line);
	text_deinit(&common);
	text_deinit(&line);
}

/** Widths of the columns of numbers. */
struct widths {
	size_t count;
	size_t size;
};

/** A width that has room for a number. */
static size_t wide_enough(size_t width, uint64_t number)
{
	struct text words = { 0 };
	text_grouped(&words, number);
	width = words.length > width ? words.length : width;
	text_deinit(&words);
	return width;
}

/** Widths for the first rows. */
static struct widths widths_of(const struct strings *strings, size_t rows)
{
	struct widths widths = { COUNT_WIDTH, LENGTH_WIDTH };
	for (size_t i = 0; i < rows; i++) {
		const struct tally_item *item = tally_get(strings->tally, i);
		widths.count = wide_enough(widths.count, item->count);
		if (strings->options->similar)
			widths.size = wide_enough(widths.size, item->size);
	}
	return widths;
}

/** Adds a number to the right end of a column. */
static void add_right(struct text *line, const struct text *number, size_t width)
{
	text_fill(line, ' ', number->length < width ? width - number->length : 0);
	text_bytes(line, number->bytes, number->length);
}

/** Adds the characters, as many as fit into the line of a terminal. */
static void add_characters(const struct strings *strings, struct text *line,
                           const struct text *characters)
{
	const struct out *out = strings->search.out;
	size_t width = out->width, begin = line->length;

	strings_line_add_text(strings->options, line, characters->bytes, characters->length);
	if (width == SIZE_MAX)
		return;

	/* The number of a session stands before it. */
	width -= out->results && width > RESULTS_NUMBER_WIDTH ? RESULTS_NUMBER_WIDTH : 0;

	size_t room = width > begin + 1 ? width - begin : 1;
	for (char *tab; (tab = memchr(line->bytes + begin, '\t', line->length - begin));)
		*tab = ' ';
	if (utf8_columns(line->bytes + begin, line->length - begin) <= room)
		return;

	line->length = begin + utf8_fit(line->bytes + begin, line->length - begin, room - 1);
	text_string(line, "\xe2\x80\xa6");
}

static void print_row(const struct strings *strings, const struct tally_item *item,
                      const struct widths *widths)
{
	struct text line = { 0 }, number = { 0 }, common = { 0 };

	take_common(item, &common);
	text_grouped(&number, item->count);
	text_char(&number, item->missed > 0 ? '+' : ' ');
	add_right(&line, &number, widths->count + 1);
	text_char(&line, ' ');
	text_clear(&number);
	text_grouped(&number, size_of(strings, item));
	add_right(&line, &number, widths->size);

	text_string(&line, "  ");
	if (strings->several) {
		text_char(&line, strings_options_letter((enum pm_encoding)item->sort));
		text_char(&line, ' ');
	}

	add_characters(strings, &line, &common);
	text_char(&line, '\n');
	results_print_hit(strings->search.out, item->first,
	                  item->length * pm_encoding_unit((enum pm_encoding)item->sort), item->text,
	                  item->length);
	out_text(strings->search.out, &line);
	text_deinit(&common);
	text_deinit(&number);

	text_deinit(&line);
}

static void print_titles(const struct strings *strings, const struct widths *widths)
{
	struct out *out = strings->search.out;
	out_blanks(out, out->results ? RESULTS_NUMBER_WIDTH : 0);
	out_blanks(out, widths->count - (sizeof "COUNT" - 1));
	out_format(out, "COUNT  %*s  %sTEXT\n", (int)widths->size,
	           strings->options->similar ? "BYTES" : "LENGTH", strings->several ? "E " : "");
}

/** Tells what the budget did to the counts. */
static void tell_dropped(const struct strings *strings)
{
	struct text line = { 0 };
	uint64_t dropped = tally_dropped(strings->tally);
	if (dropped == 0 || strings->options->search.output.quiet)
		return;

	text_grouped(&line, dropped);
	text_string(&line,
	            dropped == 1 ? " rare string was dropped" : " times a rare string was dropped");
	text_string(&line, ", as the budget was used up: none that occurs more than ");
	text_grouped(&line, tally_bound(strings->tally));
	text_string(&line, " times is missing, and counts marked + may be low by as much; a larger "
	                   "--budget helps");
	report_note("%s", text_terminate(&line));

	text_deinit(&line);
}

/** Tells how to be rid of machine code, which looks like text and hides it. */
static void tell_code(const struct strings *strings, size_t rows)
{
	const struct strings_options *options = strings->options;
	size_t code = 0;
	for (size_t i = 0; i < rows; i++) {
		const struct pm_region *region = pm_regions_find(
			&strings->search.memory.loaded.regions,
			tally_get(strings->tally, i)->first);
		code += region && (region->perms & PM_PERM_EXEC);
	}

	if (code > 0 && !options->search.selection.perms_given && !options->search.output.quiet &&
	    !options->search.output.json)
		report_note(
			"%zu of these %zu stand in machine code first: --perms rw leaves it out",
			code, rows);
}

/**
 * Tells that frequency says little where most texts are there once: what leaks may carry a number
 * each.
 */
static void tell_single(const struct strings *strings)
{
	enum { MANY = 1000 };
	const struct strings_options *options = strings->options;
	size_t all = tally_count(strings->tally), single = 0;
	struct text line = { 0 };

	while (single < all && tally_get(strings->tally, all - 1 - single)->count == 1)
		single++;

	bool heard = strings->search.out->terminal && !options->search.output.quiet &&
	             !options->search.output.json;
	if (single < MANY || single < all / 2 || options->similar || !heard)
		return;

	text_grouped(&line, single);
	text_string(&line, " of the ");
	text_grouped(&line, all);
	text_string(&line, " different strings are there once: --similar counts those together "
	                   "that differ only in numbers");
	report_note("%s", text_terminate(&line));
	text_deinit(&line);
}

void strings_unique_print(struct strings *strings)
{
	struct out *out = strings->search.out;
	bool json = strings->options->search.output.json;
	size_t rows = rows_of(strings), all = tally_count(strings->tally);

	tally_sort(strings->tally);
	const struct widths widths = widths_of(strings, json ? 0 : rows);
	if (!json && rows > 0)
		print_titles(strings, &widths);

	for (size_t i = 0; i < rows && !out_failed(out); i++) {
		const struct tally_item *item = tally_get(strings->tally, i);
		if (json)
			print_json(strings, item);
		else
			print_row(strings, item, &widths);
	}

	if (!json && rows < all) {
		struct text words = { 0 };
		text_grouped(&words, all - rows);
		out_format(out, "\xe2\x80\xa6 %s more (all: --top 0)\n", text_terminate(&words));
		text_deinit(&words);
	}

	out_flush(out);
	tell_code(strings, rows);
	tell_single(strings);
	tell_dropped(strings);
}
