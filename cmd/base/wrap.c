/* SPDX-License-Identifier: MIT */
#include "base/wrap.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/minmax.h"
#include "base/utf8.h"

/* The size that is assumed for a terminal that does not report its size, such as a serial line. */
enum { USUAL_WIDTH = 80, USUAL_HEIGHT = 24 };

bool wrap_size(int fd, size_t *width, size_t *height)
{
	struct winsize size = { 0 };

	*width = *height = SIZE_MAX;
	if (!isatty(fd))
		return false;

	if (ioctl(fd, TIOCGWINSZ, &size) < 0)
		size = (struct winsize){ 0 };
	*width = size.ws_col > 0 ? size.ws_col : USUAL_WIDTH;
	*height = size.ws_row > 0 ? size.ws_row : USUAL_HEIGHT;

	return true;
}

/**
 * Finds where to break a line: at a space, with at most `fits` bytes before it. If the first word
 * is longer than `fits`, the line is broken after this word.
 *
 * @param fits  number of bytes that fit the terminal
 * @return      index of the space, `length` if there is none
 */
static size_t find_break(const char *line, size_t length, size_t fits)
{
	size_t first = 0;
	size_t found = length;

	while (first < length && line[first] == ' ')
		first++;

	for (size_t at = first + 1; at <= fits && at < length; at++) {
		bool ends_word = line[at] == ' ' && line[at - 1] != ' ';
		bool ends_field = ends_word && at + 1 < length && line[at + 1] == ' ';

		/* A field ends with two spaces. If `found` is at the end of a field, prefer it to
		 * the end of a word inside the next field, unless the line would then be less than
		 * half full. */
		bool in_field = found != length && found + 1 < length && line[found + 1] == ' ' &&
		                found * 2 > fits;

		if (ends_field || (ends_word && !in_field))
			found = at;
	}

	/* If the first word is too long for the line, break after that word. */
	for (size_t at = pm_max_size(fits, first); found == length && at < length; at++) {
		if (line[at] == ' ')
			found = at;
	}

	return found;
}

static void wrap_line(struct text *into, const char *line, size_t length, size_t width,
                      size_t indent)
{
	size_t room = width;

	while (utf8_columns(line, length) > room) {
		size_t end = find_break(line, length, utf8_fit(line, length, room));
		size_t next = end;

		while (next < length && line[next] == ' ')
			next++;

		if (next == length) {
			length = end;
			break;
		}

		text_bytes(into, line, end);
		text_char(into, '\n');
		text_fill(into, ' ', indent);
		line += next;
		length -= next;
		room = width - indent;
	}

	text_bytes(into, line, length);
}

void wrap(struct text *into, const char *bytes, size_t length, size_t width, size_t indent)
{
	if (width == SIZE_MAX) {
		text_bytes(into, bytes, length);
		return;
	}

	if (indent > width / 2)
		indent = 0;

	while (length > 0) {
		const char *newline = memchr(bytes, '\n', length);
		size_t line = newline ? (size_t)(newline - bytes) : length;

		wrap_line(into, bytes, line, width, indent);
		if (newline) {
			text_char(into, '\n');
			line++;
		}

		bytes += line;
		length -= line;
	}
}
