/* SPDX-License-Identifier: MIT */
#include "view/csv.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

/** Starts a field. */
static void begin(struct csv *csv)
{
	if (csv->begun)
		text_char(&csv->line, ',');
	csv->begun = true;
}

void csv_bytes(struct csv *csv, const char *bytes, size_t length)
{
	struct text field = { 0 };

	begin(csv);
	if (length > 0)
		utf8_escape(&field, bytes, length);
	bool quoted = field.length > 0 && (memchr(field.bytes, ',', field.length) ||
	                                   memchr(field.bytes, '"', field.length));

	if (quoted)
		text_char(&csv->line, '"');
	for (size_t i = 0; i < field.length; i++) {
		if (field.bytes[i] == '"')
			text_char(&csv->line, '"');
		text_char(&csv->line, field.bytes[i]);
	}
	if (quoted)
		text_char(&csv->line, '"');
	text_deinit(&field);
}

void csv_string(struct csv *csv, const char *string)
{
	csv_bytes(csv, string, string ? strlen(string) : 0);
}

void csv_number(struct csv *csv, uint64_t value)
{
	begin(csv);
	text_decimal(&csv->line, value);
}

void csv_signed(struct csv *csv, int64_t value)
{
	begin(csv);
	text_format(&csv->line, "%lld", (long long)value);
}

void csv_real(struct csv *csv, double value)
{
	begin(csv);
	if (!isfinite(value))
		return;

	size_t start = csv->line.length;
	text_format(&csv->line, "%.3f", value);

	/* In some locales, the decimal point is a comma. */
	char *comma = memchr(csv->line.bytes + start, ',', csv->line.length - start);
	if (comma)
		*comma = '.';
}

void csv_address(struct csv *csv, uint64_t address)
{
	begin(csv);
	text_hex(&csv->line, address, 1);
}

void csv_none(struct csv *csv)
{
	begin(csv);
}

void csv_end(struct csv *csv)
{
	text_char(&csv->line, '\n');
	out_text(csv->out, &csv->line);
	text_clear(&csv->line);
	csv->begun = false;
}

void csv_deinit(struct csv *csv)
{
	text_deinit(&csv->line);
}
