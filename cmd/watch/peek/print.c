/* SPDX-License-Identifier: MIT */
#include "watch/peek/print.h"

#include <inttypes.h>

#include "base/utf8.h"
#include "view/json.h"

/* Columns of one string in a line with others. */
enum { STRING_COLUMNS = 60 };

void peek_print_string(const struct pm_page_string *string, size_t columns, struct text *text)
{
	struct text escaped = { 0 };
	utf8_escape(&escaped, string->bytes, string->length);

	bool whole = utf8_columns(escaped.bytes, escaped.length) <= columns;
	text_bytes(text, escaped.bytes,
	           whole ? escaped.length : utf8_fit(escaped.bytes, escaped.length, columns - 1));
	text_format(text, "%s \xc3\x97%" PRIu64, whole ? "" : "\xe2\x80\xa6", string->count);
	text_deinit(&escaped);
}

void peek_print_describe(const struct watch *watch, const struct watch_row *row, struct text *text)
{
	const struct peek_result *peek = peek_found(watch, row);
	if (!peek)
		return;

	const struct pm_page_strings_found *found = &peek->found;

	text_format(text,
	            "%s in %" PRIx64 "\xe2\x80\xa6:", found->count ? "new strings" : "new pages",
	            row->track->start);

	for (size_t i = 0; i < found->count; i++) {
		text_string(text, i ? "  " : " ");
		peek_print_string(&found->strings[i], STRING_COLUMNS, text);
	}

	if (found->count == 0)
		text_string(text, " no text");
	if (found->searched < found->pages) {
		text_string(text, "  (looked at ");
		text_size(text, found->searched);
		text_string(text, " of ");
		text_size(text, found->pages);
		text_char(text, ')');
	}
}

void peek_print_json(const struct watch *watch, const struct watch_row *row, json_t *object)
{
	const struct peek_result *peek = peek_found(watch, row);
	if (!peek)
		return;

	const struct pm_page_strings_found *found = &peek->found;

	json_t *strings = json_array();
	struct text string = { 0 };
	for (size_t i = 0; i < found->count; i++) {
		json_t *one = json_object();
		text_clear(&string);
		text_bytes(&string, found->strings[i].bytes, found->strings[i].length);
		json_object_set_new(one, "text", json_text(text_terminate(&string)));
		json_object_set_new(one, "count", json_number(found->strings[i].count));
		json_array_append_new(strings, one);
	}

	text_deinit(&string);
	json_object_set_new(object, "peek", strings);
	json_object_set_new(object, "appeared", json_number(found->pages));
	json_object_set_new(object, "searched", json_number(found->searched));
}
