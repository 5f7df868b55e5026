/* SPDX-License-Identifier: MIT */
#include "trace/folded.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "base/utf8.h"
#include "target/frames.h"

/** Adds a frame, and a semicolon before it unless it is the first one. */
static void put_name(const struct text *name, bool first, struct text *line)
{
	struct text escaped = { 0 };

	utf8_escape(&escaped, name->bytes, name->length);
	for (size_t i = 0; i < escaped.length; i++) {
		if (escaped.bytes[i] == ';')
			escaped.bytes[i] = ':';
	}

	if (!first)
		text_char(line, ';');
	text_bytes(line, escaped.bytes, escaped.length);
	text_deinit(&escaped);
}

static void put_marker(const char *marker, bool first, struct text *line)
{
	struct text name = { 0 };

	text_string(&name, marker);
	put_name(&name, first, line);
	text_deinit(&name);
}

/** Adds the frames of a stack, the outermost first. */
static void put_stack(const struct pm_stack *stack, bool before, struct text *line)
{
	size_t start = line->length;

	if (before)
		put_marker(FRAMES_BEFORE, true, line);
	if (stack->count == 0)
		put_marker(FRAMES_NONE, line->length == start, line);
	else if (stack->cut)
		put_marker(FRAMES_CUT, line->length == start, line);

	for (size_t i = stack->count; i-- > 0;) {
		struct text name = { 0 };

		frames_name(&stack->frames[i], &name);
		put_name(&name, line->length == start, line);
		text_deinit(&name);
	}
}

/** A line: the frames, and their bytes. */
struct line {
	struct text frames;
	uint64_t bytes;
};

static int compare(const void *one, const void *other)
{
	const struct line *a = one, *b = other;
	size_t common = pm_min_size(a->frames.length, b->frames.length);
	int order = memcmp(a->frames.bytes, b->frames.bytes, common);

	if (order != 0)
		return order;
	return (a->frames.length > b->frames.length) - (a->frames.length < b->frames.length);
}

/** Writes the lines in alphabetical order; equal ones once, with their sum. */
static void put_lines(struct line *lines, size_t count, struct text *text)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t sum = lines[i].bytes;

		while (i + 1 < count && compare(&lines[i], &lines[i + 1]) == 0)
			sum += lines[++i].bytes;
		text_bytes(text, lines[i].frames.bytes, lines[i].frames.length);
		text_char(text, ' ');
		text_decimal(text, sum);
		text_char(text, '\n');
	}
}

int trace_folded_make(const struct trace_report *report, struct text *text, struct pm_error *error)
{
	const struct pm_trace_result *result = report->result;
	struct line *lines = alloc_array(NULL, pm_max_size(result->count, 1), sizeof *lines);
	size_t count = 0;

	(void)error;
	for (size_t i = 0; i < result->count; i++) {
		uint64_t bytes = trace_report_bytes(report, i);

		if (bytes == 0 || trace_report_is_untouched(report, i))
			continue;
		lines[count] = (struct line){ .bytes = bytes };
		put_stack(&report->stacks[i], result->sites[i].before, &lines[count].frames);
		count++;
	}

	qsort(lines, count, sizeof *lines, compare);
	put_lines(lines, count, text);
	for (size_t i = 0; i < count; i++)
		text_deinit(&lines[i].frames);
	free(lines);
	return 0;
}
