/* SPDX-License-Identifier: MIT */
/*
 * The texts in memory often say what the memory is for. Of each site, only the largest region is
 * searched, and of a large region only some pages.
 */
#include "trace/strings.h"

#include <inttypes.h>
#include <stdlib.h>

#include <procmem/maps.h>
#include <procmem/page_strings.h>

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/minmax.h"
#include "base/utf8.h"

/* Maximum number of rows that are searched, and of bytes for each. */
enum { ROWS_MAX = 64, BYTES_MAX = 4 << 20 };

/* Spaces before a string, and maximum width of a string. */
enum { INDENT = 4, STRING_COLUMNS = 72 };

/** Adds a line with a string and its count. */
static void put_string(const struct pm_page_string *string, struct text *lines)
{
	struct text escaped = { 0 };

	utf8_escape(&escaped, string->bytes, string->length);
	text_fill(lines, ' ', INDENT);
	text_grouped(lines, string->count);
	text_string(lines, " \xc3\x97 ");
	if (utf8_columns(escaped.bytes, escaped.length) > STRING_COLUMNS) {
		escaped.length = utf8_fit(escaped.bytes, escaped.length, STRING_COLUMNS - 1);
		text_string(&escaped, "\xe2\x80\xa6");
	}

	text_bytes(lines, escaped.bytes, escaped.length);
	text_char(lines, '\n');
	text_deinit(&escaped);
}

/** Searches a range of addresses. */
static int search(struct pm_page_strings *handle, const struct pm_regions *regions,
                  struct pm_range range, unsigned max, struct text *lines, struct pm_error *error)
{
	const struct pm_page_strings_options options = { .max = max, .cancel = interrupt_flag() };
	struct pm_page_strings_found found = { 0 };
	struct pm_page_set pages = { 0 };
	int result = pm_page_set_add(&pages, range, regions, error);

	if (result == 0)
		result = pm_page_set_thin(&pages, BYTES_MAX, error);
	if (result == 0)
		result = pm_page_strings_find(handle, &pages, &options, &found, error);

	for (size_t i = 0; result == 0 && i < found.count; i++)
		put_string(&found.strings[i], lines);
	if (result == 0 && found.count == 0) {
		text_fill(lines, ' ', INDENT);
		text_string(lines, "no text\n");
	}

	pm_page_strings_found_deinit(&found);
	pm_page_set_deinit(&pages);
	return result;
}

/** Searches the regions of the first rows. */
static int search_rows(struct trace_strings *strings, struct pm_page_strings *handle,
                       const struct pm_regions *regions, struct trace_rows *rows, unsigned max,
                       struct pm_error *error)
{
	size_t count = pm_min_size(rows->list.count, ROWS_MAX);

	strings->lines = alloc_array(NULL, pm_max_size(rows->count, 1), sizeof *strings->lines);
	strings->count = rows->count;
	for (size_t i = 0; i < rows->count; i++)
		strings->lines[i] = (struct text){ 0 };

	for (size_t i = 0; i < count; i++) {
		/* The list has pointers to the rows, which are in another order. */
		size_t index = (size_t)((const struct trace_row *)rows->list.items[i] - rows->own);
		struct trace_row *row = &rows->own[index];
		const struct pm_trace_site *site = &row->report->result->sites[row->site];
		const struct pm_range range = { site->start, site->end };

		if (site->end <= site->start)
			continue;
		if (search(handle, regions, range, max, &strings->lines[index], error) < 0)
			return -1;
		row->detail = &strings->lines[index];
	}
	return 0;
}

int trace_strings_find(struct trace_strings *strings, struct pm_process *process,
                       struct trace_rows *rows, unsigned max, struct pm_error *error)
{
	struct pm_page_strings *handle = NULL;
	struct pm_regions regions;
	struct pm_error problem;

	pm_regions_init(&regions);
	int result = process ? pm_maps_read(process, PM_SMAPS, &regions, &problem) : 0;

	if (process && result == 0)
		result = pm_page_strings_open(process, true, &handle, &problem);
	if (process && result == 0)
		result = pm_page_strings_begin(handle, &regions, &problem);
	if (process && result == 0)
		result = search_rows(strings, handle, &regions, rows, max, &problem);

	if (handle)
		pm_page_strings_end(handle);
	pm_page_strings_close(handle);
	pm_regions_deinit(&regions);
	if (result == 0 || problem.kind == PM_ERROR_GONE)
		return 0;

	if (error)
		*error = problem;
	return -1;
}

void trace_strings_deinit(struct trace_strings *strings)
{
	for (size_t i = 0; i < strings->count; i++)
		text_deinit(&strings->lines[i]);
	free(strings->lines);
}
