/* SPDX-License-Identifier: MIT */
#include "shell/lists.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/minmax.h"
#include "base/report.h"
#include "base/utf8.h"

/* Minimum width of the text of a result, on a narrow terminal. */
enum { TEXT_MIN = 8 };

/** Adds untrusted text, cut so that the line fits the terminal. */
static void put_fitting(struct text *line, const char *bytes, size_t length, size_t width)
{
	struct text escaped = { 0 };
	size_t used = utf8_columns(line->bytes, line->length);
	size_t room = pm_max_size(excess_size(width, used), TEXT_MIN);

	utf8_escape(&escaped, bytes, length);
	if (utf8_columns(escaped.bytes, escaped.length) <= room) {
		text_bytes(line, escaped.bytes, escaped.length);
	} else {
		size_t fitting = utf8_fit(escaped.bytes, escaped.length, room - 1);

		text_bytes(line, escaped.bytes, fitting);
		text_string(line, "\xe2\x80\xa6");
	}

	text_deinit(&escaped);
}

/** Prints a result: its number, range, size and text. */
static void print(const struct result *result, const char *prefix, size_t number, struct out *out)
{
	char id[32], range[2 * 16 + 32];
	struct text line = { 0 }, size = { 0 };

	snprintf(id, sizeof id, "%s%zu", prefix, number);
	int length = snprintf(range, sizeof range, "%" PRIx64 "-%" PRIx64, result->start,
	                      result->end);
	if (result->range_count > 1)
		snprintf(range + length, sizeof range - (size_t)length, " +%zu",
		         result->range_count - 1);

	text_size(&size, result->end - result->start);
	text_format(&line, "%-6s %-25s  %7s  ", id, range, text_terminate(&size));
	put_fitting(&line, result->text, result->length, out->width);
	text_char(&line, '\n');

	size_t styled = strcspn(text_terminate(&line), " ");

	out_style(out, OUT_DIM);
	out_bytes(out, line.bytes, styled);
	out_style(out, OUT_PLAIN);
	out_bytes(out, line.bytes + styled, line.length - styled);

	text_deinit(&line);
	text_deinit(&size);
}

enum status shell_lists_hits_run(struct shell *shell, struct out *out, int argc, char **argv)
{
	size_t count = results_hit_count(shell->results);

	(void)argc;
	(void)argv;
	if (count == 0) {
		report_note("there are no hits yet; run 'grep' or 'strings' first");
		return STATUS_NOTHING;
	}

	for (size_t i = 1; i <= count && !out_failed(out); i++)
		print(results_hit(shell->results, i), "#", i, out);
	return STATUS_OK;
}

enum status shell_lists_regions_run(struct shell *shell, struct out *out, int argc, char **argv)
{
	size_t count = results_region_count(shell->results);

	(void)argc;
	(void)argv;
	if (count == 0) {
		report_note("no region has a number yet; run 'map', 'watch' or 'diff' first");
		return STATUS_NOTHING;
	}

	for (size_t i = 1; i <= count && !out_failed(out); i++)
		print(results_region(shell->results, i), "#r", i, out);
	return STATUS_OK;
}
