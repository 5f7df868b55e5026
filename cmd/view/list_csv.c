/* SPDX-License-Identifier: MIT */
#include "view/list_csv.h"

#include "base/utf8.h"
#include "view/list_values.h"

/** Writes one field of CSV (RFC 4180): in quotes where a comma or a quote would mislead. */
static void put_csv_field(const struct text *field, struct out *out)
{
	if (field->length == 0 || (!memchr(field->bytes, ',', field->length) &&
	                           !memchr(field->bytes, '"', field->length))) {
		out_text(out, field);
		return;
	}

	out_string(out, "\"");
	for (size_t i = 0; i < field->length; i++) {
		if (field->bytes[i] == '"')
			out_string(out, "\"");
		out_bytes(out, field->bytes + i, 1);
	}

	out_string(out, "\"");
}

void list_csv_print(const struct list *list, struct out *out)
{
	struct text raw = { 0 }, field = { 0 };

	for (size_t i = 0; i < list->column_count && !list->options->no_header; i++)
		out_format(out, "%s%s", i ? "," : "", list->columns[i]->name);

	if (!list->options->no_header)
		out_string(out, "\n");
	for (size_t row = 0; row < list->shown && !out_failed(out); row++) {
		for (size_t i = 0; i < list->column_count; i++) {
			text_clear(&raw);
			text_clear(&field);
			list_values_exact(list->columns[i], list->items[row], &raw);
			utf8_escape(&field, raw.bytes, raw.length);
			out_string(out, i ? "," : "");
			put_csv_field(&field, out);
		}
		out_string(out, "\n");
	}

	text_deinit(&raw);
	text_deinit(&field);
}
