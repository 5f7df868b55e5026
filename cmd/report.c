/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>

#include "text.h"
#include "utf8.h"

/** Escapes and writes one line in one go, so that lines of several processes do not mix. */
static void __attribute__((format(printf, 2, 0))) write_line(const char *prefix, const char *format, va_list arguments)
{
	struct text sentence = { 0 }, line = { 0 };
	text_vformat(&sentence, format, arguments);
	text_string(&line, prefix);
	utf8_escape(&line, sentence.bytes, sentence.length);
	text_char(&line, '\n');
	fwrite(line.bytes, 1, line.length, stderr);
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
