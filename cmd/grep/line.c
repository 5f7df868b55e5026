/* SPDX-License-Identifier: MIT */
#include "grep/line.h"

#include <string.h>

#include <procmem/strings_scan.h>

#include "base/utf8.h"
#include "grep/json.h"
#include "target/region_columns.h"
#include "view/hit_text.h"
#include "view/results.h"

enum {
	PIPE_COLUMNS = 120, /* of text around a match, where no terminal bounds it */
	MATCH_COLUMNS = 16, /* least room for a match on a narrow terminal */
	MATCH_MAX =
		1000, /* most of it, where no terminal bounds it: -o has it whole, JSON in pieces */
	AROUND = 512, /* bytes around a match: enough for a line of characters of several bytes each
	               */
};

static const char dots[] = "…";

size_t grep_line_around(const struct grep_view *view)
{
	const struct grep_options *options = view->options;
	size_t most = options->before > options->after ? options->before : options->after;
	return view->form == GREP_MATCHES ? 0 : most > AROUND ? most : AROUND;
}

/** Adds text in a style. */
static void add_styled(const struct grep_view *view, enum out_style style, const struct text *text,
                       struct text *line)
{
	text_string(line, out_style_code(view->out, style));
	text_bytes(line, text->bytes, text->length);
	text_string(line, out_style_code(view->out, OUT_PLAIN));
}

/**
 * Adds kind and mapping of a region, the kind dimmed, and with `detail` what else is known about
 * it.
 * @return their columns
 */
static size_t add_region(const struct grep_view *view, const struct pm_region *region, bool detail,
                         struct text *line)
{
	struct text kind = { 0 }, mapping = { 0 }, escaped = { 0 };
	text_string(&kind, pm_kind_name((enum pm_kind)region->kind));
	add_styled(view, OUT_DIM, &kind, line);
	region_columns_mapping(region, true, &mapping);
	if (detail && *region->detail)
		text_format(&mapping, "%s%s", mapping.length > 0 ? "  " : "", region->detail);
	if (mapping.length > 0)
		text_string(&escaped, detail ? "  " : " ");

	utf8_escape(&escaped, mapping.bytes, mapping.length);
	text_bytes(line, escaped.bytes, escaped.length);

	size_t columns = kind.length + utf8_columns(escaped.bytes, escaped.length);
	text_deinit(&kind);
	text_deinit(&mapping);
	text_deinit(&escaped);

	return columns;
}

/**
 * Adds how a text is encoded that does not stand in memory as it is shown.
 * @return its columns
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

/**
 * Adds all that stands before the text of a hit.
 * @return its columns
 */
static size_t add_head(const struct grep_view *view, const struct pm_hit *hit, struct text *line)
{
	const struct pm_region *region = &view->regions->items[hit->region];
	size_t begin = line->length, columns;

	text_string(line, view->prefix);
	text_hex(line, hit->address, 1);
	text_string(line, hit->changed ? "~ " : "  ");
	columns = line->length - begin;
	columns += add_region(view, region, false, line);
	begin = line->length;
	text_string(line, *region->mapping ? "+0x" : " +0x");
	text_hex(line, hit->address - region->start, 1);

	columns += line->length - begin;
	columns += add_encoding(view, hit, line);
	text_string(line, ": ");

	return columns + 2;
}

/** Cuts a text to a number of columns, and not within an escaped byte. */
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
 * Adds a match, cut to a number of columns.
 * @return the columns that it takes
 */
static size_t add_match(const struct grep_view *view, const struct pm_hit *hit, size_t room,
                        struct text *line)
{
	struct text match = { 0 };
	hit_text_add(hit->encoding, hit->bytes, hit->size, &match);

	bool fits = room == SIZE_MAX || utf8_fit(match.bytes, match.length, room) == match.length;
	if (!fits)
		cut(&match, room - 1);

	/* Without a bound, what is truncated may go on. */
	bool cut_off = !fits || (hit->truncated && room != SIZE_MAX);
	size_t columns = utf8_columns(match.bytes, match.length) + cut_off;
	add_styled(view, OUT_MATCH, &match, line);
	text_string(line, cut_off ? dots : "");
	text_deinit(&match);

	return columns;
}

/** Columns of a line; in a session its number needs some, too. */
static size_t width_of(const struct grep_view *view)
{
	size_t width = view->out->width;
	return width == SIZE_MAX || !view->out->results ? width
	       : width > RESULTS_NUMBER_WIDTH           ? width - RESULTS_NUMBER_WIDTH
	                                                : 0;
}

/** Adds a match and the text around it, within the terminal's width. */
static void add_text(const struct grep_view *view, const struct pm_hit *hit, size_t head,
                     struct text *line)
{
	struct hit_side sides[2];
	struct text match = { 0 };
	size_t width = width_of(view), room = MATCH_MAX, around = PIPE_COLUMNS;
	if (width != SIZE_MAX)
		room = width > head + MATCH_COLUMNS ? width - head : MATCH_COLUMNS;

	size_t columns = add_match(view, hit, room, &match);
	if (width != SIZE_MAX)
		around = width > head + columns ? width - head - columns : 0;

	/* Dots on either side need room, too. */
	hit_text_around(hit, around > 2 ? around - 2 : 0, sides);
	text_string(line, sides[0].more && around >= 2 ? dots : "");
	hit_text_add(hit->encoding, hit->bytes - sides[0].bytes, sides[0].bytes, line);
	text_bytes(line, match.bytes, match.length);
	hit_text_add(hit->encoding, hit->bytes + hit->size, sides[1].bytes, line);
	text_string(line, sides[1].more && around >= 2 ? dots : "");
	text_deinit(&match);
}

/**
 * Adds a match for -o.
 * @return the bytes before it
 */
static size_t add_bare(const struct grep_view *view, const struct pm_hit *hit, struct text *line)
{
	text_string(line, view->prefix);
	if (view->options->byte_offset) {
		text_hex(line, hit->address, 1);
		text_char(line, ':');
	}

	size_t head = line->length;
	add_match(view, hit, SIZE_MAX, line);
	return head;
}

size_t grep_line(const struct grep_view *view, const struct pm_hit *hit, struct text *line)
{
	if (view->form == GREP_MATCHES)
		return add_bare(view, hit, line);
	add_text(view, hit, add_head(view, hit, line), line);
	text_char(line, '\n');
	return 0;
}

void grep_line_put_region(const struct grep_view *view, const struct pm_region *region,
                          uint64_t count, struct out *out)
{
	enum { COUNT_DIGITS = 8 };
	struct text line = { 0 };
	if (view->options->search.output.json) {
		grep_json_region(view, region, count, &line);
		out_text(out, &line);
		text_deinit(&line);
		return;
	}

	/* The regions of others are none of this session's target. */
	if (view->pid == 0)
		results_put_region(out->results, region, &line);
	text_string(&line, view->prefix);

	if (view->form == GREP_COUNTS) {
		size_t digits = text_decimal_length(count);
		text_fill(&line, ' ', digits < COUNT_DIGITS ? COUNT_DIGITS - digits : 0);
		text_decimal(&line, count);
		text_string(&line, "  ");
	}

	text_hex(&line, region->start, 1);
	text_char(&line, '-');
	text_hex(&line, region->end, 1);
	text_string(&line, "  ");
	add_region(view, region, true, &line);
	text_char(&line, '\n');

	size_t number = out->results ? RESULTS_NUMBER_WIDTH : 0;
	out_wrapped(out, &line, number + (view->form == GREP_COUNTS ? COUNT_DIGITS + 2 : 2));
	text_deinit(&line);
}
