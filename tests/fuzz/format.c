/* SPDX-License-Identifier: MIT */
/*
 * Formats, templates and folded texts. The input is a text, or a format and a text that a NUL
 * separates. All texts of a target are untrusted.
 */
#include <procmem/format_match.h>
#include <procmem/script.h>
#include <procmem/text_template.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "input.h"
#include "view/command_line.h"
#include "view/fold.h"

/** Copies bytes into a buffer without spare bytes, for the sanitizers. The caller frees it. */
static char *exact_copy(const char *bytes, size_t length)
{
	char *copy = malloc(length + !length);
	fuzz_check(copy != NULL);
	memcpy(copy, bytes, length);
	return copy;
}

/** All formats in a text are within the text, ascend, and have a conversion. */
static void check_formats(const char *text, size_t length)
{
	size_t at = 0, format = 0, found, end = 0;

	while ((found = pm_format_next(text, length, &at, &format)) > 0) {
		fuzz_check(found <= PM_FORMAT_MAX && format >= end && format + found <= length);
		fuzz_check(at > format && at <= length);
		fuzz_check(memchr(text + format, '%', found) || memchr(text + format, '{', found));
		end = format + found;
	}
}

/** A format without conversions fits just the texts that start with it. */
static void check_match(const char *format, size_t format_length, const char *text, size_t length)
{
	size_t fitting = 0;
	size_t literals = pm_format_match(format, format_length, text, length, &fitting);
	fuzz_check(literals <= format_length && fitting <= length);

	if (memchr(format, '%', format_length) || memchr(format, '{', format_length))
		return;
	bool starts = length >= format_length && memcmp(format, text, format_length) == 0;
	fuzz_check(literals == 0 || starts);
}

static void check_template(const char *text, size_t length)
{
	char *output = malloc(length + !length);
	fuzz_check(output != NULL);
	fuzz_check(pm_text_template_write(text, length, output) <= length);
	free(output);
}

/** A text without repetitions is unchanged; every text becomes shorter or stays as it is. */
static void check_fold(const char *text, size_t length)
{
	struct text folded = { 0 };
	fold_repetitions(&folded, text, length);
	fuzz_check(folded.length <= length * 2);
	if (length < 48)
		fuzz_check(folded.length == length && memcmp(folded.bytes, text, length) == 0);
	text_deinit(&folded);
}

static void check_command_line(const char *text)
{
	for (size_t columns = COMMAND_LINE_MIN; columns < 40; columns += 7) {
		struct text line = { 0 };
		command_line_put(&line, text, columns);
		fuzz_check(utf8_columns(line.bytes, line.length) <= columns);
		text_deinit(&line);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *whole = fuzz_text(data, size);
	size_t first = strlen(whole), second = size > first ? size - first - 1 : 0;
	char *format = exact_copy(whole, first);
	char *text = exact_copy(second > 0 ? whole + first + 1 : "", second);
	size_t script = 0;

	check_formats(format, first);
	check_match(format, first, text, second);
	check_template(format, first);
	if (first > 0)
		check_fold(format, first);
	check_command_line(whole);
	size_t found = pm_script_find((const char *)data, size, '\0', &script);
	fuzz_check(script + found <= size);

	free(text);
	free(format);
	free(whole);
	return 0;
}
