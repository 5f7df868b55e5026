/* SPDX-License-Identifier: MIT */
#include "stale/print.h"

#include <string.h>

#include <procmem/number.h>

#include "base/delta.h"
#include "base/report.h"
#include "base/utf8.h"
#include "stale/growth.h"
#include "target/region_text.h"
#include "view/list_print.h"

/* A remark about a part of the memory is printed if it is at least this share of the whole. */
static const double remark_share = 0.1;

/* Regions with a smaller part of the cold memory are summed up in one line, unless -a is given. */
static const double region_share = 0.01;

/* In a shorter time, the CPU need not have set the marks of memory that it uses all the time, see
 * docs/KERNEL.md. */
static const double seconds_min = 1;

/* Size of a transparent huge page of x86-64, in bytes. */
static const uint64_t huge_page = UINT64_C(2) << 20;

/** Adds a size. Other than in a table, 0 is written as a number. */
static void put_size(struct text *text, uint64_t bytes, bool exact)
{
	if (bytes == 0)
		text_char(text, '0');
	else
		text_size_as(text, bytes, exact);
}

/** Adds a share in percent; if it is not whole, it is rounded down, so that 100% means all. */
static void put_percent(struct text *text, uint64_t part, uint64_t whole)
{
	uint64_t percent = whole > 0 ? (uint64_t)((double)part / (double)whole * 100) : 0;

	text_format(text, "%llu%%", (unsigned long long)percent);
}

static double seconds_of(const struct pm_stale_result *result)
{
	return result->readings[result->reading_count - 1].seconds;
}

/** Adds a duration. Other than in a table, it is in milliseconds if it is short. */
static void put_seconds(struct text *text, double seconds)
{
	char duration[PM_DURATION_TEXT_SIZE];

	if (seconds < 0.95) {
		text_format(text, "%.0fms", seconds * 1000);
		return;
	}

	pm_format_duration(seconds, duration);
	text_string(text, duration);
}

/** Adds the first line, which answers how much memory was not touched. */
static void put_answer(const struct stale_report *report, const struct list *regions,
                       struct text *text)
{
	const struct pm_stale_result *result = &report->result;
	bool bytes = report->options->output.bytes;
	uint64_t rss = 0, cold = 0, swap = 0;

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_stale_region *region = regions->items[i];
		rss += region->sizes.rss;
		cold += region->sizes.cold;
		swap += region->sizes.swap;
	}

	utf8_escape(text, report->info.comm, strlen(report->info.comm));
	text_format(text, " (%d): ", (int)report->info.pid);
	put_size(text, cold, bytes);
	text_string(text, " of ");
	put_size(text, rss, bytes);
	text_string(text, " (");
	put_percent(text, cold, rss);
	text_string(text, ") not touched in ");
	put_seconds(text, seconds_of(result));
	if (regions->count < result->count)
		text_format(text, ", in %zu of %zu regions", regions->count, result->count);
	if (swap > 0) {
		text_string(text, "; besides, ");
		put_size(text, swap, bytes);
		text_string(text, " is swapped out");
	}
	text_char(text, '\n');
}

/** Adds the name of what grows: the kind, and for a region its address and mapping. */
static void put_grower(const struct stale_growth *growth, struct text *text)
{
	text_string(text, pm_kind_name(growth->kind));
	if (!growth->region)
		return;

	text_char(text, ' ');
	text_hex(text, growth->region->region.start, 1);
	if (*growth->region->region.mapping == '\0')
		return;

	struct text name = { 0 };
	region_text_mapping(&growth->region->region, true, &name);
	text_char(text, ' ');
	utf8_escape(text, name.bytes, name.length);
	text_deinit(&name);
}

static void put_growth(const struct stale_report *report, const struct stale_growth *growth,
                       struct text *text)
{
	const struct pm_stale_sizes *sizes = growth->sizes;
	bool bytes = report->options->output.bytes;

	put_grower(growth, text);
	text_string(text, " grows (");
	delta_put_bytes(text, sizes->grown, bytes);
	text_string(text, "), and its older part is cold: of the ");
	put_size(text, sizes->before, bytes);
	text_string(text, " that it had at the start, ");
	put_size(text, sizes->cold, bytes);
	text_string(text, " (");
	put_percent(text, sizes->cold, sizes->before);
	text_string(text, ") was not touched\n");
}

/** Adds what grows although its older part is not touched, and what that means. */
static void put_growths(const struct stale_report *report, struct text *text)
{
	struct stale_growth found[STALE_GROWTH_MAX];
	size_t count = stale_growth_find(&report->result, found);

	for (size_t i = 0; i < count; i++)
		put_growth(report, &found[i], text);
	if (count > 0)
		text_string(text, "A leak that is still reachable looks like this. So does a heap "
		                  "that fills until its next garbage collection, and a cache "
		                  "that is rarely used. Whether the new memory is touched again "
		                  "is not known.\n");
}

/**
 * Adds how much the whole process touched until each reading.
 * @param all  whether all regions are selected, so that the first line has the same sum
 */
static void put_readings(const struct stale_report *report, bool all, struct text *text)
{
	const struct pm_stale_result *result = &report->result;

	text_string(text, all ? "touched after " : "whole process: touched after ");
	for (size_t i = 1; i < result->reading_count; i++) {
		if (i > 1)
			text_string(text, ", ");
		put_seconds(text, result->readings[i].seconds);
		text_string(text, ": ");
		put_size(text, result->readings[i].referenced, report->options->output.bytes);
	}
	text_char(text, '\n');
}

/** Adds what the measurement has cost the process. */
static void put_cost(const struct stale_report *report, struct text *text)
{
	const struct pm_stale_result *result = &report->result;
	uint64_t longest = 0;

	for (size_t i = 0; i < result->reading_count; i++)
		if (result->readings[i].read_us > longest)
			longest = result->readings[i].read_us;

	text_format(text, "stall: at most %.1f ms (predicted: about %.1f ms)",
	            (double)result->stall_us / 1000, (double)report->prediction.stall_us / 1000);
	text_format(text, "; longest reading: %.1f ms\n", (double)longest / 1000);
}

/** Adds why memory that is used can be among the cold memory of this process. */
static void put_unseen(const struct stale_report *report, struct text *text)
{
	const struct pm_stale_result *result = &report->result;
	uint64_t shared = result->total.shared, pinned = report->info.vm_pinned;
	double part = (double)result->total.rss * remark_share;
	bool bytes = report->options->output.bytes;

	if (seconds_of(result) < seconds_min)
		text_string(text, "Less than a second was measured: memory that is always in use "
		                  "can appear cold\n");

	if (pinned > 0 && (double)pinned >= part) {
		put_size(text, pinned, bytes);
		text_string(text, " is pinned: what devices and io_uring read and write there is "
		                  "not counted as touched\n");
	}

	if (shared > 0 && (double)shared >= part) {
		put_size(text, shared, bytes);
		text_string(text,
		            " belongs to files and shared memory: touches by other processes, "
		            "or through another mapping of it, are not counted here\n");
	}
}

/** Adds what limits the meaning of the sizes, where it matters for this process. */
static void put_remarks(const struct stale_report *report, struct text *text)
{
	const struct pm_stale_result *result = &report->result;
	const struct pm_stale_sizes *total = &result->total;
	bool bytes = report->options->output.bytes;
	double part = (double)total->rss * remark_share;

	if (total->huge > 0 && (double)total->huge >= part) {
		put_size(text, total->huge, bytes);
		text_string(text, " is in huge pages, of which one touched byte counts as ");
		put_size(text, huge_page, bytes);
		text_char(text, '\n');
	}

	if (result->hugetlb > 0) {
		put_size(text, result->hugetlb, bytes);
		text_string(text, " in huge pages of hugetlbfs cannot be measured\n");
	}

	if (result->lost > 0) {
		text_string(text, "The marks of at least ");
		put_size(text, result->lost, bytes);
		text_string(text,
		            " were removed during the measurement, by the kernel's reclaim or "
		            "by another program: the cold sizes can be too large\n");
	}
}

/** Prints on stderr why the measurement is not complete, or says less than usual. */
static void note_end(const struct stale_report *report)
{
	struct text text = { 0 };

	if (report->options->output.quiet)
		return;

	put_seconds(&text, seconds_of(&report->result));
	if (report->ended.kind != PM_ERROR_NONE)
		report_note("the results are those of the first %s: %s", text_terminate(&text),
		            report->ended.text);
	else if (report->interrupted)
		report_note("interrupted: the results are those of the first %s",
		            text_terminate(&text));
	if (report->stopped)
		report_note("a signal or a debugger had stopped the process: a stopped process "
		            "touches nothing");

	text_deinit(&text);
}

static void print_heading(const struct stale_report *report, const struct list *regions,
                          struct list *list, struct out *out)
{
	struct text text = { 0 };

	put_answer(report, regions, &text);
	put_growths(report, &text);
	put_readings(report, regions->count == report->result.count, &text);
	put_cost(report, &text);
	put_unseen(report, &text);
	put_remarks(report, &text);
	list->lines_above = out_wrapped(out, &text, 2);
	text_deinit(&text);
}

/**
 * Counts the regions that are listed without --all: the first ones, of which each has a notable
 * part of the cold memory.
 * @return their number; 0 for all, if the list does not begin with the coldest region
 */
static size_t count_notable(const struct list *regions)
{
	uint64_t cold = 0;
	size_t count = 0;

	if (strcmp(regions->sort->name, "cold") != 0 || regions->options->reverse)
		return 0;
	for (size_t i = 0; i < regions->count; i++)
		cold += ((const struct pm_stale_region *)regions->items[i])->sizes.cold;
	while (count < regions->count) {
		const struct pm_stale_region *region = regions->items[count];
		if ((double)region->sizes.cold < (double)cold * region_share)
			break;
		count++;
	}
	return count;
}

void stale_print(const struct stale_report *report, const struct list *regions, struct list *list,
                 struct out *out)
{
	const struct list_options *options = &report->options->list;

	note_end(report);
	if (list == regions)
		list->wanted = count_notable(regions);
	if (!options->csv && !options->no_header)
		print_heading(report, regions, list, out);
	list_print(list, out);
}
