/* SPDX-License-Identifier: MIT */
#include "watch/peek/scan.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/target_reader.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "target/similarity.h"
#include "target/tally.h"

enum {
	CHARACTERS_MIN = 6, /* of a string: four, as strings(1) has it, are found everywhere in
	                         compressed data */
	TALLY_BUDGET = 8 << 20,
};

int peek_scan_open(struct peek_scan *scan, struct pm_process *process, bool must_read,
                   struct pm_error *error)
{
	const struct pm_strings_options text = { .least = CHARACTERS_MIN };
	*scan = (struct peek_scan){ .process = process };
	if (pm_pagemap_open(process, PM_PAGEMAP_BEST, &scan->pagemap, error) < 0 ||
	    pm_strings_scanner_create(&text, &scan->scanner, error) < 0 ||
	    (must_read && pm_target_reader_open(process, NULL, &scan->reader, error) < 0)) {
		peek_scan_close(scan);
		return -1;
	}

	scan->states = pm_pagemap_source(scan->pagemap);
	peek_scan_end(scan);

	return 0;
}

void peek_scan_close(struct peek_scan *scan)
{
	peek_scan_end(scan);
	pm_scanner_destroy(scan->scanner);
	pm_pagemap_close(scan->pagemap);
	*scan = (struct peek_scan){ 0 };
}

int peek_scan_begin(struct peek_scan *scan, const struct pm_regions *regions,
                    struct pm_error *error)
{
	scan->regions = regions;
	return pm_target_reader_open(scan->process, regions, &scan->reader, error);
}

void peek_scan_end(struct peek_scan *scan)
{
	if (scan->reader.ops)
		pm_reader_close(&scan->reader);
	scan->reader = (struct pm_reader){ 0 };
}

/** What a scan hands to its callbacks. */
struct counting {
	struct tally *tally;
	const struct peek_pages *pages;   /* in these, or at least partly, lies what counts */
	const struct peek_follow *follow; /* NULL: nobody */
	uint64_t total;                   /* bytes that there are at the most */
	uint64_t unreadable;              /* bytes of the pages that could not be read */
};

/**
 * Bytes at the begin of a text that are left out: where it begins too far before the pages, only
 * what is in them can be told.
 */
static size_t cut_of(const struct counting *counting, const struct pm_hit *hit)
{
	const struct pm_region_range *range = peek_pages_find(counting->pages, hit->address);
	if (!range || range->range.start <= hit->address + peek_before() ||
	    range->range.start >= hit->address + hit->size)
		return 0;

	size_t cut = (size_t)(range->range.start - hit->address);
	/* Not within a character of UTF-8. */
	while (cut < hit->size && (hit->bytes[cut] & 0xc0) == 0x80)
		cut++;

	return cut;
}

static int copy_text(void *context, unsigned worker, const struct pm_hit *hit,
                     struct pm_scan_batch *batch, struct pm_error *error)
{
	size_t cut = cut_of(context, hit);
	(void)worker;
	return pm_scan_append(batch, hit->bytes + cut,
	                      pm_min_size(hit->size - cut, PEEK_STRING_MAX), error);
}

static int count_text(void *context, const struct pm_scan_delivery *delivery,
                      struct pm_error *error)
{
	const struct counting *counting = context;
	const struct pm_region_range *range = peek_pages_find(counting->pages, delivery->address);
	char common[PEEK_STRING_MAX];

	(void)error;
	/* What only lies beside the pages is none of theirs; the rest of a very long one is no
	 * string of its own, nor is what is left of one that is cut. */
	if (!range || range->range.start >= delivery->address + delivery->size ||
	    delivery->continued || delivery->length < CHARACTERS_MIN)
		return 0;

	/* Most of what leaks has a number of its own: counted one by one, none of it would be
	 * frequent. */
	size_t length = similar_fold(common, delivery->bytes, delivery->length);
	const struct tally_text text = {
		.hash = tally_hash(counting->tally, 0, common, length),
		.text = delivery->bytes,
		.length = delivery->length,
		.first = delivery->address,
		.size = delivery->size,
	};

	tally_add_similar(counting->tally, &text);
	return 0;
}

/** Counts what of the pages could not be read. */
static void count_unreadable(void *context, const struct pm_unreadable *gap)
{
	struct counting *counting = context;
	const struct pm_region_range *range = peek_pages_find(counting->pages, gap->start),
				     *last = counting->pages->ranges + counting->pages->count;
	for (; range && range < last && range->range.start < gap->end; range++)
		counting->unreadable +=
			(range->range.end < gap->end ? range->range.end : gap->end) -
			(range->range.start > gap->start ? range->range.start : gap->start);
}

static int tell_progress(void *context, const struct pm_scan_totals *totals)
{
	const struct counting *counting = context;
	if (counting->follow)
		counting->follow->listener(counting->follow->context, totals->searched,
		                           counting->total);
	return 0;
}

static uint64_t sum_of(const struct peek_pages *pages)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < pages->count; i++)
		sum += pages->ranges[i].range.end - pages->ranges[i].range.start;
	return sum;
}

/** Takes over the most frequent ones, and their bytes. */
static void take_strings(struct tally *tally, size_t top, struct peek_result *found)
{
	tally_sort(tally);
	found->count = tally_count(tally) < top ? tally_count(tally) : top;
	found->strings = alloc_array(NULL, found->count + 1, sizeof *found->strings);

	size_t length = 0;
	for (size_t i = 0; i < found->count; i++)
		length += tally_get(tally, i)->length;

	char *bytes = found->texts = alloc_array(NULL, length + 1, 1);
	for (size_t i = 0; i < found->count; i++) {
		const struct tally_item *item = tally_get(tally, i);
		found->strings[i] = (struct peek_string){ .bytes = bytes, .count = item->count };
		found->strings[i].length = similar_text(item->varied, bytes, item->text,
		                                        item->length);
		bytes += item->length;
	}
}

/** Plans to read ranges as far as they are there. */
static int open_plan(struct peek_scan *scan, const struct peek_pages *pages,
                     const volatile sig_atomic_t *cancel, struct pm_plan **plan,
                     struct pm_error *error)
{
	const struct pm_plan_options options = { .pages = &scan->states, .cancel = cancel };
	return pm_plan_open(scan->regions, pages->ranges, pages->count, &options, plan, error);
}

/** Bytes of the pages that are there, without what is around them. */
static int count_present(struct peek_scan *scan, const struct peek_pages *pages,
                         const volatile sig_atomic_t *cancel, uint64_t *bytes,
                         struct pm_error *error)
{
	struct pm_plan *plan;
	if (open_plan(scan, pages, cancel, &plan, error) < 0)
		return -1;

	struct pm_unit *unit = alloc_array(NULL, 1, sizeof *unit);
	int more;
	*bytes = 0;

	while ((more = pm_plan_next(plan, unit, error)) > 0)
		*bytes += unit->size;
	free(unit);

	pm_plan_close(plan);
	return more;
}

/** Counts the strings of the pages, with what is around them. */
static int count_strings(struct peek_scan *scan, const struct peek_pages *wide,
                         struct counting *counting, struct pm_error *error)
{
	const volatile sig_atomic_t *cancel = counting->follow ? counting->follow->cancel : NULL;
	struct pm_scan_totals totals = { 0 };
	struct pm_plan *plan;
	if (open_plan(scan, wide, cancel, &plan, error) < 0)
		return -1;

	/* One thread: it is the sum of CPU time that counts here. */
	const struct pm_scan search = {
		.scanner = scan->scanner,
		.regions = scan->regions,
		.plan = plan,
		.source = { .target = &scan->reader,
		            .unreadable = count_unreadable,
		            .context = counting,
		            .cancel = cancel },
		.workers = 1,
		.found = copy_text,
		.deliver = count_text,
		.tick = tell_progress,
		.context = counting,
	};

	int result = pm_scan_run(&search, &totals, error);
	pm_plan_close(plan);

	return result;
}

int peek_scan_run(struct peek_scan *scan, const struct peek_pages *pages, size_t top,
                  const struct peek_follow *follow, struct peek_result *found,
                  struct pm_error *error)
{
	struct peek_pages wide;
	uint64_t present = 0;

	peek_pages_widen(pages, scan->regions, &wide);
	struct counting counting = { .tally = tally_create(TALLY_BUDGET),
		                     .pages = pages,
		                     .follow = follow,
		                     .total = sum_of(&wide) };
	int result = 0;

	if (pages->count > 0 && (result = count_present(scan, pages, follow ? follow->cancel : NULL,
	                                                &present, error)) == 0)
		result = count_strings(scan, &wide, &counting, error);

	if (result == 0) {
		*found = (struct peek_result){ .pages = pages->bytes,
			                       .searched = present > counting.unreadable
			                                           ? present - counting.unreadable
			                                           : 0 };
		take_strings(counting.tally, top, found);
	}

	tally_destroy(counting.tally);
	peek_pages_deinit(&wide);

	return result;
}

void peek_result_deinit(struct peek_result *peek)
{
	free(peek->strings);
	free(peek->texts);
	*peek = (struct peek_result){ 0 };
}
