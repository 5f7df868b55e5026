/* SPDX-License-Identifier: MIT */
/*
 * Shortens command lines. The first columns show the program and its first options. The last
 * columns start with the script, because its arguments say more about the process than the options
 * of the interpreter. Without a script they show the end of the command line.
 */
#include "view/command_line.h"

#include <string.h>

#include <procmem/script.h>

#include "base/minmax.h"
#include "base/utf8.h"

static const char ellipsis[] = "\xe2\x80\xa6";

/** Adds an escaped text, cut at its end to a number of columns, at least 1. */
static void put_start(struct text *line, const struct text *escaped, size_t columns)
{
	if (utf8_columns(escaped->bytes, escaped->length) <= columns) {
		text_bytes(line, escaped->bytes, escaped->length);
		return;
	}

	text_bytes(line, escaped->bytes, utf8_fit(escaped->bytes, escaped->length, columns - 1));
	text_string(line, ellipsis);
}

/** Adds as many of the last characters of an escaped text as fit into a number of columns. */
static void put_end(struct text *line, const struct text *escaped, size_t columns)
{
	size_t surplus = utf8_columns(escaped->bytes, escaped->length) - columns;
	size_t cut = utf8_fit(escaped->bytes, escaped->length, surplus);

	/* A character of two columns may be cut in the middle: leave it out. */
	while (utf8_columns(escaped->bytes + cut, escaped->length - cut) > columns)
		cut += utf8_fit(escaped->bytes + cut, escaped->length - cut, 2);
	text_bytes(line, escaped->bytes + cut, escaped->length - cut);
}

/**
 * Adds the part of a command line before its script: the program, and `…` instead of what does not
 * fit. Prefers to cut at a space.
 */
static void put_options(struct text *line, const char *command, size_t length, size_t columns)
{
	struct text escaped = { 0 };
	utf8_escape(&escaped, command, length);

	size_t kept = escaped.length;
	if (utf8_columns(escaped.bytes, escaped.length) > columns) {
		kept = utf8_fit(escaped.bytes, escaped.length, columns - 2);
		const char *space = memrchr(escaped.bytes, ' ', kept);
		if (space)
			kept = (size_t)(space - escaped.bytes);
	}

	text_bytes(line, escaped.bytes, kept);
	if (kept < escaped.length) {
		text_char(line, ' ');
		text_string(line, ellipsis);
	}
	text_deinit(&escaped);
}

/** Adds a command line that is too long and has a script at the offset `script`. */
static void put_with_script(struct text *line, const char *command, size_t script, size_t columns)
{
	const char *space = strchr(command, ' ');
	struct text tail = { 0 };

	/* The program and `…` come before the script: at most half of the columns. */
	size_t program = pm_min_size((size_t)(space - command) + 2, columns / 2);
	utf8_escape(&tail, command + script, strlen(command + script));
	size_t tail_columns = utf8_columns(tail.bytes, tail.length);
	size_t head = columns - pm_min_size(tail_columns, columns - program - 1) - 1;

	put_options(line, command, script - 1, head);
	text_char(line, ' ');
	put_start(line, &tail, columns - head - 1);
	text_deinit(&tail);
}

/** Adds a command line that is too long and has no script: two thirds of the columns show its
 * start. */
static void put_without_script(struct text *line, const struct text *escaped, size_t columns)
{
	size_t head = columns * 2 / 3;
	size_t kept = utf8_fit(escaped->bytes, escaped->length, head - 1);

	text_bytes(line, escaped->bytes, kept);
	text_string(line, ellipsis);
	put_end(line, escaped, columns - head);
}

void command_line_put(struct text *line, const char *command, size_t columns)
{
	size_t length = strlen(command), script = 0;
	struct text escaped = { 0 };
	utf8_escape(&escaped, command, length);

	if (utf8_columns(escaped.bytes, escaped.length) <= columns)
		text_bytes(line, escaped.bytes, escaped.length);
	else if (pm_script_find(command, length, ' ', &script) > 0)
		put_with_script(line, command, script, columns);
	else
		put_without_script(line, &escaped, columns);
	text_deinit(&escaped);
}
