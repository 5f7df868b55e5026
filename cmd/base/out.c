/* SPDX-License-Identifier: MIT */
#include "base/out.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/report.h"
#include "base/utf8.h"
#include "base/wrap.h"

/* The buffer is written as soon as it contains this number of bytes. With this size, a listing of
 * 60,000 regions takes about a hundred calls of write(2). */
enum { FLUSH_AT = 64 * 1024 };

/* Contrasts with black and white, by the formula of WCAG: 196 (#ff0000) 5.3 and 4.0, 28 (#008700)
 * 4.5 and 4.7, 63 (#5f5fff) 4.6 and 4.6. */
const struct out_colour_number out_colour_numbers[OUT_STYLE_COUNT] = {
	[OUT_GROWN] = { .of_256 = 196, .of_8 = 1 },
	[OUT_LESS] = { .of_256 = 28, .of_8 = 2 },
	[OUT_NEW] = { .of_256 = 63, .of_8 = 4, .brighter = true },
};

static const char *const style_codes[OUT_STYLE_COUNT] = {
	[OUT_PLAIN] = "\033[0m", [OUT_DIM] = "\033[2m",    [OUT_GROWN] = "\033[31m",
	[OUT_LESS] = "\033[32m", [OUT_NEW] = "\033[1;34m", [OUT_MATCH] = "\033[1m",
};

static const char *const style_codes_of_256[OUT_STYLE_COUNT] = {
	[OUT_GROWN] = "\033[38;5;196m",
	[OUT_LESS] = "\033[38;5;28m",
	[OUT_NEW] = "\033[38;5;63m",
};

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);
	return value && *value;
}

/** Checks whether the environment says that the terminal has 256 colours. */
static bool has_256_colours(const char *terminal_type)
{
	return is_set("COLORTERM") || (terminal_type && strstr(terminal_type, "256color"));
}

void out_set_colour(struct out *out, enum out_colour when)
{
	const char *terminal_type = getenv("TERM");
	bool wanted = out->terminal && !out->plain && !is_set("NO_COLOR") && terminal_type &&
	              strcmp(terminal_type, "dumb") != 0;
	out->colour = when == OUT_COLOUR_ALWAYS || (when == OUT_COLOUR_AUTO && wanted);
	out->of_256 = has_256_colours(terminal_type);
}

void out_measure(struct out *out)
{
	out->terminal = wrap_size(out->fd, &out->width, &out->height);
}

void out_init(struct out *out, int fd)
{
	*out = (struct out){ .fd = fd };
	out_measure(out);
	out_set_colour(out, OUT_COLOUR_AUTO);
}

void out_flush(struct out *out)
{
	size_t done = 0;

	/* If the command was cancelled, drop the rest as if the reader had closed the pipe. */
	if (out->cancel && *out->cancel && !out->os_errno)
		out->os_errno = EPIPE;

	while (done < out->buffer.length && !out->os_errno) {
		ssize_t written = write(out->fd, out->buffer.bytes + done,
		                        out->buffer.length - done);
		if (written >= 0)
			done += (size_t)written;
		else if (errno != EINTR)
			out->os_errno = errno;
		else if (out->cancel && *out->cancel)
			out->os_errno = EPIPE;
	}

	text_clear(&out->buffer);
}

bool out_failed(const struct out *out)
{
	return out->os_errno != 0;
}

static void flush_if_full(struct out *out)
{
	if (out->buffer.length >= FLUSH_AT)
		out_flush(out);
}

void out_bytes(struct out *out, const char *bytes, size_t length)
{
	text_bytes(&out->buffer, bytes, length);
	flush_if_full(out);
}

void out_string(struct out *out, const char *string)
{
	out_bytes(out, string, strlen(string));
}

void out_text(struct out *out, const struct text *text)
{
	out_bytes(out, text->bytes, text->length);
}

void out_blanks(struct out *out, size_t count)
{
	text_fill(&out->buffer, ' ', count);
	flush_if_full(out);
}

void out_format(struct out *out, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text_vformat(&out->buffer, format, arguments);
	va_end(arguments);

	flush_if_full(out);
}

size_t out_wrapped(struct out *out, const struct text *text, size_t indent)
{
	struct text wrapped = { 0 };
	size_t lines = 0;

	wrap(&wrapped, text->bytes, text->length, out->width, indent);

	for (size_t i = 0; i < wrapped.length; i++)
		lines += wrapped.bytes[i] == '\n';

	out_text(out, &wrapped);
	text_deinit(&wrapped);
	return lines;
}

void out_wrapped_format(struct out *out, size_t indent, const char *format, ...)
{
	struct text text = { 0 };
	va_list arguments;

	va_start(arguments, format);
	text_vformat(&text, format, arguments);
	va_end(arguments);

	out_wrapped(out, &text, indent);
	text_deinit(&text);
}

void out_escaped(struct out *out, const char *string)
{
	utf8_escape(&out->buffer, string, strlen(string));
	flush_if_full(out);
}

void out_style(struct out *out, enum out_style style)
{
	out_string(out, out_style_code(out, style));
}

const char *out_style_code(const struct out *out, enum out_style style)
{
	if (!out->colour)
		return "";
	if (out->of_256 && style_codes_of_256[style])
		return style_codes_of_256[style];
	return style_codes[style];
}

int out_close(struct out *out)
{
	out_flush(out);
	text_deinit(&out->buffer);
	if (!out->os_errno || out->os_errno == EPIPE)
		return 0;

	report_error("cannot write the output: %s", strerror(out->os_errno));
	return -1;
}
