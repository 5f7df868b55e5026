/* SPDX-License-Identifier: MIT */
#include "peek_scan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "least.h"
#include "tally.h"

enum {
	CHARACTERS_LEAST = 6, /* of a string: four, as strings(1) has it, are found everywhere in compressed data */
	TALLY_BUDGET = 8 << 20,
	SAMPLE_BLOCK = 64 * 1024, /* where pages are left out, pieces of so many bytes are looked through */
};

static void add_range(struct peek_pages *pages, struct pm_range range)
{
	if (pages->count == pages->capacity) {
		pages->capacity = pages->capacity ? pages->capacity * 2 : 64;
		pages->ranges = alloc_array(pages->ranges, pages->capacity, sizeof *pages->ranges);
	}
	pages->ranges[pages->count++] = range;
}

void peek_pages_add(struct peek_pages *pages, uint64_t start, uint64_t end, const struct pm_regions *regions)
{
	for (size_t i = pm_regions_index(regions, start); i < regions->count && regions->items[i].start < end; i++) {
		const struct pm_region *region = &regions->items[i];
		struct pm_range range = { .start = start > region->start ? start : region->start, .end = end < region->end ? end : region->end, .region = i };
		add_range(pages, range);
		pages->bytes += range.end - range.start;
	}
}

void peek_pages_thin(struct peek_pages *pages, uint64_t most)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), block = SAMPLE_BLOCK;
	if (pages->bytes <= most)
		return;
	/* At least one block of all. */
	most = most > block ? most : block;
	uint64_t stride = (uint64_t)((double)block / (double)most * (double)pages->bytes);
	stride -= stride % page;
	stride = stride > block ? stride : block;
	struct peek_pages thin = { .bytes = pages->bytes };
	uint64_t offset = 0; /* in all ranges together */
	for (size_t i = 0; i < pages->count; i++) {
		const struct pm_range *range = &pages->ranges[i];
		for (uint64_t at = range->start; at < range->end;) {
			uint64_t in = (offset + (at - range->start)) % stride, size = in < block ? block - in : stride - in;
			uint64_t end = range->end - at < size ? range->end : at + size;
			if (in < block)
				add_range(&thin, (struct pm_range){ .start = at, .end = end, .region = range->region });
			at = end;
		}
		offset += range->end - range->start;
	}
	free(pages->ranges);
	*pages = thin;
}

void peek_pages_deinit(struct peek_pages *pages)
{
	free(pages->ranges);
	*pages = (struct peek_pages){ 0 };
}

int peek_scan_open(struct peek_scan *scan, struct pm_process *process, bool must_read, struct pm_error *error)
{
	const struct pm_strings_options text = { .least = CHARACTERS_LEAST };
	*scan = (struct peek_scan){ .process = process };
	if (pm_pagemap_open(process, PM_PAGEMAP_BEST, &scan->pagemap, error) < 0 || pm_strings_scanner_create(&text, &scan->scanner, error) < 0 ||
	    (must_read && pm_target_reader_open(process, NULL, &scan->reader, error) < 0)) {
		peek_scan_close(scan);
		return -1;
	}
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

int peek_scan_begin(struct peek_scan *scan, const struct pm_regions *regions, struct pm_error *error)
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

static int copy_text(void *context, unsigned worker, const struct pm_hit *hit, struct pm_scan_batch *batch, struct pm_error *error)
{
	(void)context;
	(void)worker;
	return pm_scan_append(batch, hit->bytes, least(hit->size, PEEK_STRING_MOST), error);
}

/** What a scan hands to its callbacks. */
struct counting {
	struct tally *tally;
	const struct peek_follow *follow; /* NULL: nobody */
	uint64_t total;                   /* bytes that there are at the most */
};

static int count_text(void *context, const struct pm_scan_delivery *delivery, struct pm_error *error)
{
	struct tally *tally = ((const struct counting *)context)->tally;
	(void)error;
	/* The rest of a very long one is no string of its own. */
	if (!delivery->continued)
		tally_add(tally, tally_hash(tally, 0, delivery->bytes, delivery->length), 0, delivery->bytes, delivery->length, delivery->address);
	return 0;
}

static int tell_progress(void *context, const struct pm_scan_totals *totals)
{
	const struct counting *counting = context;
	if (counting->follow)
		counting->follow->listener(counting->follow->context, totals->searched, counting->total);
	return 0;
}

static uint64_t sum_of(const struct peek_pages *pages)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < pages->count; i++)
		sum += pages->ranges[i].end - pages->ranges[i].start;
	return sum;
}

/** Takes over the most frequent ones, and their bytes. */
static void take_strings(struct tally *tally, size_t top, struct peek *found)
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
		memcpy(bytes, item->text, item->length);
		found->strings[i] = (struct peek_string){ .bytes = bytes, .length = item->length, .count = item->count };
		bytes += item->length;
	}
}

int peek_scan_run(struct peek_scan *scan, const struct peek_pages *pages, size_t top, const struct peek_follow *follow, struct peek *found,
                  struct pm_error *error)
{
	const volatile sig_atomic_t *cancel = follow ? follow->cancel : NULL;
	const struct pm_page_source states = pm_pagemap_source(scan->pagemap);
	struct pm_scan_totals totals = { 0 };
	struct pm_plan *plan;
	if (pm_plan_open(scan->regions, pages->ranges, pages->count, &(struct pm_plan_options){ .pages = &states, .cancel = cancel }, &plan, error) < 0)
		return -1;
	struct counting counting = { .tally = tally_create(TALLY_BUDGET), .follow = follow, .total = sum_of(pages) };
	/* One thread: it is the sum of CPU time that counts here. */
	const struct pm_scan search = {
		.scanner = scan->scanner,
		.regions = scan->regions,
		.plan = plan,
		.source = { .target = &scan->reader, .cancel = cancel },
		.workers = 1,
		.found = copy_text,
		.deliver = count_text,
		.tick = tell_progress,
		.context = &counting,
	};
	int result = pages->count ? pm_scan_run(&search, &totals, error) : 0;
	pm_plan_close(plan);
	if (result == 0) {
		*found = (struct peek){ .pages = pages->bytes, .searched = totals.searched };
		take_strings(counting.tally, top, found);
	}
	tally_destroy(counting.tally);
	return result;
}

void peek_deinit(struct peek *peek)
{
	free(peek->strings);
	free(peek->texts);
	*peek = (struct peek){ 0 };
}
