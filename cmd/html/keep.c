/* SPDX-License-Identifier: MIT */
#include "html/keep.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void *html_keep_array(struct html_keep *keep, size_t count, size_t size)
{
	if (keep->count == keep->capacity) {
		keep->capacity = keep->capacity * 2 + 16;
		keep->items = alloc_array(keep->items, keep->capacity, sizeof *keep->items);
	}

	void *array = alloc_array(NULL, count + 1, size);
	memset(array, 0, (count + 1) * size);
	keep->items[keep->count++] = array;
	return array;
}

const char *html_keep_text(struct html_keep *keep, struct text *text)
{
	char *string = html_keep_array(keep, text->length, 1);

	if (text->length > 0)
		memcpy(string, text->bytes, text->length);
	text_clear(text);
	return string;
}

const char *html_keep_format(struct html_keep *keep, const char *format, ...)
{
	struct text text = { 0 };
	va_list arguments;

	va_start(arguments, format);
	text_vformat(&text, format, arguments);
	va_end(arguments);

	const char *string = html_keep_text(keep, &text);
	text_deinit(&text);
	return string;
}

void html_keep_deinit(struct html_keep *keep)
{
	for (size_t i = 0; i < keep->count; i++)
		free(keep->items[i]);
	free(keep->items);
	*keep = (struct html_keep){ 0 };
}
