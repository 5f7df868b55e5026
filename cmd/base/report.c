/* SPDX-License-Identifier: MIT */
#include "base/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/text.h"
#include "base/utf8.h"
#include "base/wrap.h"

/* Number of spaces before a continuation line, if the terminal is too narrow for the message. */
enum { INDENT = 2 };

/** Escapes a line and writes it in one call, so that lines of several processes do not mix. */
static void __attribute__((format(printf, 2, 0))) write_line(const char *prefix, const char *format,
                                                             va_list arguments)
{
	struct text sentence = { 0 }, line = { 0 };
	struct text wrapped = { 0 };
	size_t width, height;

	text_vformat(&sentence, format, arguments);
	text_string(&line, prefix);
	utf8_escape(&line, sentence.bytes, sentence.length);
	text_char(&line, '\n');

	wrap_size(STDERR_FILENO, &width, &height);
	wrap(&wrapped, line.bytes, line.length, width, INDENT);
	fwrite(wrapped.bytes, 1, wrapped.length, stderr);

	text_deinit(&wrapped);
	text_deinit(&line);
	text_deinit(&sentence);
}

void report_error(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	write_line("procmem: ", format, arguments);
	va_end(arguments);
}

void report_note(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	write_line("procmem: note: ", format, arguments);
	va_end(arguments);
}

enum status report_failure(const struct pm_error *error)
{
	report_error("%s", error->text);
	return STATUS_ERROR;
}
