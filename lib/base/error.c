/* SPDX-License-Identifier: MIT */
#include <procmem/error.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/**
 * Replaces CR and LF by spaces, since an error is one line of text. The text may contain names that
 * the user gave or that were read from the target, and such a name can contain any byte.
 */
static void replace_newlines(char *text)
{
	for (; (text = strpbrk(text, "\r\n")); text++)
		*text = ' ';
}

int pm_error_set(struct pm_error *error, enum pm_error_kind kind, int os_errno, const char *format,
                 ...)
{
	if (!error)
		return -1;

	/* An argument may point to `error->text`, so the new text is formatted into a separate
	 * buffer. */
	char text[PM_ERROR_TEXT_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	replace_newlines(text);

	error->kind = kind;
	error->os_errno = os_errno;
	error->pid = 0;
	error->address = 0;
	memcpy(error->text, text, sizeof text);
	return -1;
}

int pm_error_prefix(struct pm_error *error, const char *format, ...)
{
	if (!error)
		return -1;

	char text[PM_ERROR_TEXT_SIZE];
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	replace_newlines(text);
	if (length < 0 || (size_t)length >= sizeof text)
		return -1;

	size_t room = sizeof text - (size_t)length - 1;
	size_t rest = strnlen(error->text, room);
	memcpy(text + length, error->text, rest);
	text[(size_t)length + rest] = '\0';
	memcpy(error->text, text, (size_t)length + rest + 1);
	return -1;
}
