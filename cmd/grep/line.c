/* SPDX-License-Identifier: MIT */
#include "grep/line.h"

#include <string.h>

#include <procmem/strings_scan.h>

#include "base/minmax.h"
#include "base/utf8.h"
#include "grep/json.h"
#include "target/hit_chunk.h"
#include "target/region_text.h"
#include "view/csv.h"
#include "view/hit_text.h"
#include "view/results.h"

enum {
	PIPE_COLUMNS =
		120, /* width of a line of text around a match, if the output is not a terminal */
	MATCH_COLUMNS = 16, /* minimum width of a match on a narrow terminal */
	MATCH_MAX = 1000,   /* maximum columns of a match if the output is not a terminal; -o and
	                       --json print the whole match */
	AROUND = 512,       /* number of bytes to read on each side of a match: enough for a line of
	                       multi-byte characters */
	COUNT_DIGITS = 8,   /* width of the column of counts of -c */
};

static const char dots[] = "…";

size_t grep_line_around(const struct grep_view *view)
{
	const struct grep_options *options = view->options;
	if (view->form == GREP_MATCHES)
		return 0;
	if (options->numbers.count > 0)
		return pm_max_size(options->before, options->after);

	return pm_max_size(pm_max_size(options->before, options->after), AROUND);
}

/** Adds a text in a style. */
static void add_styled(const struct grep_view *view, enum out_style style, const struct text *text,
                       struct text *line)
{
	text_string(line, out_style_code(view->out, style));
	text_bytes(line, text->bytes, text->length);
	text_string(line, out_style_code(view->out, OUT_PLAIN));
}

/**
 * Returns whether the detail of a region says whose memory it is: that of an arena, a thread, a
 * runtime or an allocator. The lines of matches have only such details.
 */
static bool names_owner(const struct pm_detail *detail)
{
	switch ((enum pm_detail_type)detail->type) {
	case PM_DETAIL_ARENA:
	case PM_DETAIL_THREADS:
	case PM_DETAIL_FIRST_THREAD:
	case PM_DETAIL_NO_THREAD:
	case PM_DETAIL_UNKNOWN_THREAD:
	case PM_DETAIL_RUNTIME_HEAP:
	case PM_DETAIL_RUNTIME_CODE:
	case PM_DETAIL_RUNTIME_CODE_TWICE:
	case PM_DETAIL_RUNTIME_COUNTERS:
	case PM_DETAIL_ALLOCATOR:
	case PM_DETAIL_OWNER:
		return true;
	default:
		return false;
	}
}

/**
 * Adds the kind of a region (dimmed).
 * @return  number of columns that were added
 */
static size_t add_kind(const struct grep_view *view, const struct pm_region *region,
                       struct text *line)
{
	struct text kind = { 0 };
	text_string(&kind, pm_kind_name((enum pm_kind)region->kind));
	add_styled(view, OUT_DIM, &kind, line);

	size_t columns = kind.length;
	text_deinit(&kind);
	return columns;
}

/**
 * Adds a text, escaped.
 * @return  number of columns that were added
 */
static size_t add_escaped(const struct text *text, struct text *line)
{
	size_t start = line->length;
	utf8_escape(line, text->bytes, text->length);
	return utf8_columns(line->bytes + start, line->length - start);
}

/** Adds the kind, mapping and detail of a region, in columns. */
static void add_region(const struct grep_view *view, const struct pm_region *region,
                       struct text *line)
{
	struct text mapping = { 0 };
	add_kind(view, region, line);

	region_text_mapping(region, true, &mapping);
	if (region->detail.type != PM_DETAIL_NONE) {
		text_string(&mapping, mapping.length > 0 ? "  " : "");
		region_text_detail(&region->detail, &mapping);
	}

	if (mapping.length > 0)
		text_string(line, "  ");
	add_escaped(&mapping, line);
	text_deinit(&mapping);
}

/**
 * Adds the region of a match, and its chunk: "heap [heap]+0x4a5", "arena, arena 3 +0x40, chunk of
 * 48 B in use".
 * @return  number of columns that were added
 */
static size_t add_place(const struct grep_view *view, const struct pm_hit *hit,
                        const struct pm_chunk_parts *chunk, struct text *line)
{
	const struct pm_region *region = &view->regions->items[hit->region];
	struct text place = { 0 };
	bool owner = names_owner(&region->detail);

	region_text_mapping(region, true, &place);
	size_t columns = add_kind(view, region, line) + (place.length > 0);
	text_string(line, place.length > 0 ? " " : "");
	if (owner) {
		text_string(&place, ", ");
		region_text_detail(&region->detail, &place);
	}

	text_string(&place, place.length == 0 || owner ? " +0x" : "+0x");
	text_hex(&place, hit->address - region->start, 1);
	if (chunk)
		hit_chunk_put(chunk, ", ", &place);
	columns += add_escaped(&place, line);
	text_deinit(&place);
	return columns;
}

/**
 * Adds the encoding of a match, unless its bytes are shown as they are in memory.
 * @return  number of columns that were added
 */
static size_t add_encoding(const struct grep_view *view, const struct pm_hit *hit,
                           struct text *line)
{
	struct text name = { 0 };
	if (pm_encoding_unit(hit->encoding) == 1)
		return 0;

	text_format(&name, " %s", pm_encoding_name(hit->encoding));
	size_t columns = name.length;
	add_styled(view, OUT_DIM, &name, line);
	text_deinit(&name);
	return columns;
}

/** Returns the type of the number of a hit, or NULL if patterns are searched for. */
static const struct pm_number_test *number_of(const struct grep_view *view,
                                              const struct pm_hit *hit)
{
	const struct grep_numbers *numbers = &view->options->numbers;
	return numbers->count > 0 ? &numbers->tests[hit->source] : NULL;
}

/** Adds a number in the style of matches. */
static void add_number(const struct grep_view *view, const struct pm_number_test *test,
                       const uint8_t *bytes, struct text *line)
{
	struct text number = { 0 };
	grep_numbers_put(test, bytes, &number);
	add_styled(view, OUT_MATCH, &number, line);
	text_deinit(&number);
}

/**
 * Adds the start of a line: the prefix, the address, and the other fields before the text of the
 * match.
 * @return  number of columns that were added
 */
static size_t add_head(const struct grep_view *view, const struct pm_hit *hit,
                       const struct pm_chunk_parts *chunk, struct text *line)
{
	size_t start = line->length;

	text_string(line, view->prefix);
	text_hex(line, hit->address, 1);
	text_string(line, hit->changed ? "~ " : "  ");
	size_t columns = line->length - start;

	columns += add_place(view, hit, chunk, line);
	columns += add_encoding(view, hit, line);
	text_string(line, ": ");
	return columns + 2;
}

/** Cuts an escaped text to a number of columns, but not within \xHH. */
static void cut(struct text *text, size_t columns)
{
	text->length = utf8_fit(text->bytes, text->length, columns);

	for (size_t back = 1; back <= 3 && back <= text->length; back++)
		if (text->bytes[text->length - back] == '\\') {
			text->length -= back;
			break;
		}
}

/**
 * Adds a match, cut to `room` columns. With SIZE_MAX it is not cut.
 * @return  number of columns that were added
 */
static size_t add_match(const struct grep_view *view, const struct pm_hit *hit, size_t room,
                        struct text *line)
{
	struct text match = { 0 };
	hit_text_add(hit->encoding, hit->bytes, hit->size, &match);

	bool fits = room == SIZE_MAX || utf8_fit(match.bytes, match.length, room) == match.length;
	if (!fits)
		cut(&match, room - 1);

	/* If `room` is SIZE_MAX, a truncated match is not marked as shortened, because its rest can
	 * follow in another hit. */
	bool shortened = !fits || (hit->truncated && room != SIZE_MAX);
	size_t columns = utf8_columns(match.bytes, match.length) + shortened;
	add_styled(view, OUT_MATCH, &match, line);
	if (shortened)
		text_string(line, dots);

	text_deinit(&match);
	return columns;
}

/**
 * Returns the width of a line in columns, not counting the number that starts the line in a
 * session.
 */
static size_t width_of(const struct grep_view *view)
{
	size_t width = view->out->width;
	if (width == SIZE_MAX || !view->out->results)
		return width;

	return pm_max_size(width, RESULTS_NUMBER_WIDTH) - RESULTS_NUMBER_WIDTH;
}

/** Adds a match and the text around it, limited to the width of the terminal. */
static void add_text(const struct grep_view *view, const struct pm_hit *hit, size_t head,
                     struct text *line)
{
	struct hit_side sides[2];
	struct text match = { 0 };
	size_t width = width_of(view), room = MATCH_MAX, around = PIPE_COLUMNS;

	if (width != SIZE_MAX)
		room = pm_max_size(width, head + MATCH_COLUMNS) - head;
	size_t columns = add_match(view, hit, room, &match);
	if (width != SIZE_MAX)
		around = pm_max_size(width, head + columns) - head - columns;

	/* The ellipses on both sides need room, too. */
	bool dotted = around >= 2;
	hit_text_around(hit, pm_max_size(around, 2) - 2, sides);

	if (dotted && sides[0].more)
		text_string(line, dots);
	hit_text_add(hit->encoding, hit->bytes - sides[0].bytes, sides[0].bytes, line);
	text_bytes(line, match.bytes, match.length);
	hit_text_add(hit->encoding, hit->bytes + hit->size, sides[1].bytes, line);
	if (dotted && sides[1].more)
		text_string(line, dots);

	text_deinit(&match);
}

/**
 * Adds a match for -o.
 * @return  number of bytes of the line before the match
 */
static size_t add_bare(const struct grep_view *view, const struct pm_hit *hit, struct text *line)
{
	text_string(line, view->prefix);
	if (view->options->byte_offset) {
		text_hex(line, hit->address, 1);
		text_char(line, ':');
	}

	size_t head = line->length;
	const struct pm_number_test *number = number_of(view, hit);
	if (number)
		add_number(view, number, hit->bytes, line);
	else
		add_match(view, hit, SIZE_MAX, line);
	return head;
}

size_t grep_line(const struct grep_view *view, const struct pm_hit *hit,
                 const struct pm_chunk_parts *chunk, struct text *line)
{
	if (view->form == GREP_MATCHES)
		return add_bare(view, hit, line);

	size_t head = add_head(view, hit, chunk, line);
	const struct pm_number_test *number = number_of(view, hit);
	if (number) {
		text_format(line, "%s ", pm_number_test_name(number));
		add_number(view, number, hit->bytes, line);
	} else
		add_text(view, hit, head, line);

	text_char(line, '\n');
	return 0;
}

void grep_line_next(const struct grep_view *view, const struct pm_next_hit *hit, struct text *line)
{
	const struct pm_hit place = { .address = hit->saved->address, .region = hit->region };

	add_head(view, &place, NULL, line);
	text_format(line, "%s ", pm_number_test_name(hit->test));
	add_number(view, hit->test, hit->now, line);
	if (pm_number_test_compare(hit->test, hit->saved->bytes, hit->now) != PM_NUMBER_SAME) {
		text_string(line, ", was ");
		grep_numbers_put(hit->test, hit->saved->bytes, line);
	}
	text_char(line, '\n');
}

/** Prints a region as a line, wrapped at the width of the terminal. */
static void print_region(const struct grep_view *view, const struct pm_region *region,
                         uint64_t count, struct out *out)
{
	struct text line = { 0 };
	size_t indent = 2;

	/* Number the region only if there is a single target: the numbers of a session refer to
	 * the target of the session. */
	if (view->pid == 0)
		results_put_region(out->results, region, &line);
	if (out->results)
		indent += RESULTS_NUMBER_WIDTH;

	text_string(&line, view->prefix);
	if (view->form == GREP_COUNTS) {
		size_t digits = text_decimal_length(count);
		text_fill(&line, ' ', pm_max_size(digits, COUNT_DIGITS) - digits);
		text_decimal(&line, count);
		text_string(&line, "  ");
		indent += COUNT_DIGITS;
	}

	text_hex(&line, region->start, 1);
	text_char(&line, '-');
	text_hex(&line, region->end, 1);
	text_string(&line, "  ");
	add_region(view, region, &line);
	text_char(&line, '\n');

	out_wrapped(out, &line, indent);
	text_deinit(&line);
}

void grep_line_csv_header(const struct grep_view *view, struct out *out)
{
	out_string(out, view->options->by_kind ? "pid,count,kind\n"
	                                       : "pid,count,start,end,kind,mapping\n");
}

/** Starts a row of CSV. */
static void begin_csv(const struct grep_view *view, uint64_t count, struct csv *csv)
{
	if (view->pid > 0)
		csv_number(csv, (uint64_t)view->pid);
	else
		csv_none(csv);
	csv_number(csv, count);
}

/** Prints a region as a row of CSV. */
static void print_csv(const struct grep_view *view, const struct pm_region *region, uint64_t count,
                      struct out *out)
{
	struct csv csv = { .out = out };
	struct text mapping = { 0 };

	begin_csv(view, count, &csv);
	csv_address(&csv, region->start);
	csv_address(&csv, region->end);
	csv_string(&csv, pm_kind_name((enum pm_kind)region->kind));
	region_text_mapping(region, false, &mapping);
	csv_bytes(&csv, mapping.bytes, mapping.length);
	csv_end(&csv);
	text_deinit(&mapping);
	csv_deinit(&csv);
}

void grep_line_put_kind(const struct grep_view *view, enum pm_kind kind, uint64_t count,
                        struct out *out)
{
	struct text line = { 0 };

	if (view->options->search.output.csv) {
		struct csv csv = { .out = out };
		begin_csv(view, count, &csv);
		csv_string(&csv, pm_kind_name(kind));
		csv_end(&csv);
		csv_deinit(&csv);
		return;
	}
	if (view->options->search.output.json) {
		grep_json_kind(view, kind, count, &line);
	} else {
		size_t digits = text_decimal_length(count);
		text_string(&line, view->prefix);
		text_fill(&line, ' ', pm_max_size(digits, COUNT_DIGITS) - digits);
		text_decimal(&line, count);
		text_format(&line, "  %s\n", pm_kind_name(kind));
	}

	out_text(out, &line);
	text_deinit(&line);
}

void grep_line_put_region(const struct grep_view *view, const struct pm_region *region,
                          uint64_t count, struct out *out)
{
	if (view->options->search.output.csv) {
		print_csv(view, region, count, out);
		return;
	}
	if (!view->options->search.output.json) {
		print_region(view, region, count, out);
		return;
	}

	struct text line = { 0 };
	grep_json_region(view, region, count, &line);
	out_text(out, &line);
	text_deinit(&line);
}
