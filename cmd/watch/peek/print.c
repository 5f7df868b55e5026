/* SPDX-License-Identifier: MIT */
#include "watch/peek/print.h"

#include <inttypes.h>

#include "base/utf8.h"

/* Maximum width of a string in a line with other strings, in columns. */
enum { STRING_COLUMNS = 60 };

/** Adds a string, shortened, and its count: "application/grpc ×312". */
static void add_string(const struct pm_page_string *string, struct text *text)
{
	struct text escaped = { 0 };

	utf8_escape(&escaped, string->bytes, string->length);
	if (utf8_columns(escaped.bytes, escaped.length) > STRING_COLUMNS) {
		escaped.length = utf8_fit(escaped.bytes, escaped.length, STRING_COLUMNS - 1);
		text_string(&escaped, "\xe2\x80\xa6");
	}

	text_bytes(text, escaped.bytes, escaped.length);
	text_format(text, " \xc3\x97%" PRIu64, string->count);
	text_deinit(&escaped);
}

/** Adds the number of bytes that were searched, unless all were. */
static void add_searched(const struct pm_page_strings_found *found, struct text *text)
{
	if (found->searched >= found->pages)
		return;

	text_string(text, "  (searched ");
	text_size(text, found->searched);
	text_string(text, " of ");
	text_size(text, found->pages);
	text_char(text, ')');
}

void peek_print_describe(const struct peek_result *result, const struct watch_row *row,
                         struct text *text)
{
	const struct pm_page_strings_found *found = &result->found;

	text_string(text, found->count > 0 ? "new strings in " : "new pages in ");
	text_format(text, "%" PRIx64 "\xe2\x80\xa6:", row->track->start);

	for (size_t i = 0; i < found->count; i++) {
		text_string(text, i > 0 ? "  " : " ");
		add_string(&found->strings[i], text);
	}

	if (found->count == 0)
		text_string(text, " no text");
	add_searched(found, text);
}

/** Adds the number of times that a string was found: "×2,948". */
static void add_count(uint64_t count, struct text *text)
{
	text_string(text, "\xc3\x97");
	text_grouped(text, count);
}

/** Adds spaces until a line is `columns` wide. */
static void pad(struct text *line, size_t columns)
{
	size_t width = utf8_columns(line->bytes, line->length);

	if (width < columns)
		text_fill(line, ' ', columns - width);
}

/** Returns the width of the longest count, in columns. */
static size_t count_width(const struct pm_page_strings_found *found)
{
	struct text count = { 0 };

	/* The strings are sorted by count. */
	if (found->count > 0)
		add_count(found->strings[0].count, &count);

	size_t width = utf8_columns(count.bytes ? count.bytes : "", count.length);
	text_deinit(&count);
	return width;
}

/** Prints a line with the count of a string, and the string. */
static void print_string(const struct pm_page_string *string, size_t width, struct out *out)
{
	struct text line = { 0 };

	text_string(&line, "   ");
	add_count(string->count, &line);
	pad(&line, 3 + width + 2);
	utf8_escape(&line, string->bytes, string->length);

	if (utf8_columns(line.bytes, line.length) > out->width) {
		line.length = utf8_fit(line.bytes, line.length, out->width - 1);
		text_string(&line, "\xe2\x80\xa6");
	}

	text_char(&line, '\n');
	out_text(out, &line);
	text_deinit(&line);
}

void peek_print(const struct peek_result *result, const struct watch_row *row, struct out *out)
{
	const struct pm_page_strings_found *found = &result->found;
	struct text line = { 0 };
	size_t width = count_width(found);

	text_string(&line, found->count > 0 ? " new strings in " : " new pages in ");
	text_format(&line, "%" PRIx64 "\xe2\x80\xa6:", row->track->start);
	if (found->count == 0)
		text_string(&line, " no text");
	add_searched(found, &line);
	text_char(&line, '\n');
	out_text(out, &line);
	text_deinit(&line);

	for (size_t i = 0; i < found->count; i++)
		print_string(&found->strings[i], width, out);
}

void peek_print_json(const struct peek_result *result, struct json *json)
{
	const struct pm_page_strings_found *found = &result->found;

	json_open(json, "peek", '[');
	for (size_t i = 0; i < found->count; i++) {
		const struct pm_page_string *string = &found->strings[i];

		json_open(json, NULL, '{');
		json_put(json, "text", json_bytes(string->bytes, string->length));
		json_put(json, "count", json_number(string->count));
		json_shut(json, '}');
	}

	json_shut(json, ']');
	json_put(json, "appeared", json_number(found->pages));
	json_put(json, "searched", json_number(found->searched));
}
