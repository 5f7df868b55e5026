/* SPDX-License-Identifier: MIT */
/*
 * A trace with page faults: a row is a region that exists already, so that most of its growth is
 * memory that is touched, not mapped. A region that grows can have other addresses at the end: the
 * regions that overlap those at the start are measured.
 */
#include "watch/screen/call_sites.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/maps.h>
#include <procmem/trace.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "base/utf8.h"
#include "target/frames.h"

/* Maximum number of sites of other memory that are listed. */
enum { OTHERS_MAX = 20 };

/* Width of a column of sizes. */
enum { CELL_WIDTH = 12 };

/** Traces for the whole time, and reports the progress. */
static int record(struct pm_trace *trace, const struct screen_call_sites *wanted,
                  struct screen_task_line *line, struct pm_error *error)
{
	enum { PARTS = SCREEN_CALL_SITES_SECONDS * 5 };
	const uint64_t total = (uint64_t)SCREEN_CALL_SITES_SECONDS * 1000;
	enum pm_trace_end end = PM_TRACE_TIME;

	for (int i = 0; i < PARTS && end == PM_TRACE_TIME; i++) {
		screen_task_report(line, total / PARTS * (uint64_t)i, total);
		if (pm_trace_run(trace, (double)SCREEN_CALL_SITES_SECONDS / PARTS, &end, error) < 0)
			return -1;
	}

	if (end == PM_TRACE_CANCELLED || (wanted->cancel && *wanted->cancel))
		return pm_error_set(error, PM_ERROR_CANCELLED, 0, "cancelled");
	return 0;
}

/** Tests whether a region overlaps one of those that the row had at the start. */
static bool is_of_row(const struct screen_call_sites *wanted, const struct pm_region *region)
{
	for (size_t i = 0; i < wanted->count; i++)
		if (region->start < wanted->ranges[i].end && wanted->ranges[i].start < region->end)
			return true;
	return false;
}

/**
 * Measures the memory of the row.
 * @param ranges  receives the regions of the row now; to be freed by the caller, also on failure
 */
static int measure_row(struct pm_trace *trace, const struct screen_call_sites *wanted,
                       struct pm_range **ranges, struct pm_trace_result *row,
                       struct pm_error *error)
{
	struct pm_regions regions;
	size_t count = 0;

	pm_regions_init(&regions);
	if (pm_maps_read(pm_trace_process(trace), PM_MAPS, &regions, error) < 0) {
		pm_regions_deinit(&regions);
		return -1;
	}

	*ranges = alloc_array(NULL, regions.count + 1, sizeof **ranges);
	for (size_t i = 0; i < regions.count; i++) {
		const struct pm_region *region = &regions.items[i];

		if (is_of_row(wanted, region))
			(*ranges)[count++] = (struct pm_range){ region->start, region->end };
	}
	pm_regions_deinit(&regions);

	if (count == 0)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "the region is gone");
	return pm_trace_measure_ranges(trace, *ranges, count, row, error);
}

static void put_size(uint64_t size, bool bytes, struct text *text)
{
	struct text cell = { 0 };

	text_size_as(&cell, size, bytes);
	text_format(text, "%*s", CELL_WIDTH, text_terminate(&cell));
	text_deinit(&cell);
}

/** Adds the line of a site. */
static void put_site(const struct pm_trace_site *site, const struct pm_stacks *stacks, bool bytes,
                     struct text *text)
{
	struct pm_stack stack;
	struct text line = { 0 };

	pm_stacks_get(stacks, site->stack, &stack);
	put_size(site->resident, bytes, text);
	put_size(site->mapped, bytes, text);
	text_string(text, "  ");

	frames_line(&stack, site->before, &line);
	utf8_escape(text, line.bytes ? line.bytes : "", line.length);
	text_char(text, '\n');
	text_deinit(&line);
}

/** Tests whether no code of the trace is responsible for the memory of a site. */
static bool is_untouched(const struct pm_trace_site *site)
{
	return site->before && site->stack == PM_STACK_NONE;
}

/** Adds the sites of the row; returns their number. */
static size_t put_row(const struct pm_trace_result *row, const struct pm_stacks *stacks, bool bytes,
                      struct text *text)
{
	size_t count = 0;

	for (size_t i = 0; i < row->count; i++) {
		if (row->sites[i].resident == 0 && row->sites[i].mapped == 0)
			continue;
		put_site(&row->sites[i], stacks, bytes, text);
		count += !is_untouched(&row->sites[i]);
	}
	return count;
}

/** Subtracts what a site has in the row. */
static struct pm_trace_site without_row(const struct pm_trace_site *site,
                                        const struct pm_trace_result *row)
{
	struct pm_trace_site rest = *site;

	for (size_t i = 0; i < row->count; i++) {
		const struct pm_trace_site *part = &row->sites[i];

		if (part->stack != site->stack || part->before != site->before)
			continue;
		rest.resident -= pm_min(part->resident, rest.resident);
		rest.mapped -= pm_min(part->mapped, rest.mapped);
	}
	return rest;
}

static int compare_sites(const void *left, const void *right)
{
	const struct pm_trace_site *a = left, *b = right;

	if (a->resident != b->resident)
		return a->resident < b->resident ? 1 : -1;
	return (a->mapped < b->mapped) - (a->mapped > b->mapped);
}

/** Adds the largest sites of memory that is not in the row. */
static void put_others(const struct pm_trace_result *all, const struct pm_trace_result *row,
                       const struct pm_stacks *stacks, bool bytes, struct text *text)
{
	struct pm_trace_site *others = alloc_array(NULL, all->count + 1, sizeof *others);
	size_t count = 0;

	for (size_t i = 0; i < all->count; i++) {
		others[count] = without_row(&all->sites[i], row);
		if (!is_untouched(&others[count]) && others[count].resident > 0)
			count++;
	}

	qsort(others, count, sizeof *others, compare_sites);
	if (count > 0)
		text_string(text, "\nother memory that was mapped or touched:\n");
	for (size_t i = 0; i < pm_min_size(count, OTHERS_MAX); i++)
		put_site(&others[i], stacks, bytes, text);
	if (count > OTHERS_MAX)
		text_format(text, "%zu more\n", count - OTHERS_MAX);
	free(others);
}

/** Adds the title and the lines. */
static void put_result(struct pm_trace *trace, const struct screen_call_sites *wanted,
                       const struct pm_trace_result *all, const struct pm_trace_result *row,
                       struct text *text)
{
	const struct pm_stacks *stacks = pm_trace_stacks(trace);
	struct pm_trace_state state;

	pm_trace_state(trace, &state);
	text_format(text, "code that maps or touches %" PRIx64 ": %.0f s, %" PRIu64 " event%s",
	            wanted->ranges[0].start, all->seconds, state.events,
	            text_plural((size_t)state.events));
	if (state.lost > 0)
		text_format(text, ", %" PRIu64 " lost", state.lost);
	text_string(text, " (Esc: back)\n");

	text_format(text, "%*s%*s  CALL SITE\n", CELL_WIDTH, "RESIDENT", CELL_WIDTH, "MAPPED");
	if (put_row(row, stacks, wanted->bytes, text) == 0)
		text_string(text,
		            "no code has mapped or touched memory of this row in this time\n");
	put_others(all, row, stacks, wanted->bytes, text);
}

int screen_call_sites_find(const struct screen_call_sites *wanted, struct screen_task_line *line,
                           struct text *text, struct pm_error *error)
{
	const struct pm_trace_options options = { .faults = true, .cancel = wanted->cancel };
	struct pm_trace_result all = { 0 }, row = { 0 };
	struct pm_range *ranges = NULL;
	struct pm_trace *trace;

	if (pm_trace_attach(wanted->process, &options, &trace, error) < 0)
		return -1;

	int result = record(trace, wanted, line, error);
	if (result == 0)
		result = pm_trace_measure(trace, &all, error);
	if (result == 0)
		result = measure_row(trace, wanted, &ranges, &row, error);
	if (result == 0)
		put_result(trace, wanted, &all, &row, text);

	pm_trace_result_deinit(&all);
	pm_trace_result_deinit(&row);
	pm_trace_close(trace);
	free(ranges);
	return result;
}
