/* SPDX-License-Identifier: MIT */
/*
 * Scans the pages, and the bytes around the pages, for text. The callbacks of the scan select the
 * strings that are at least partly in the pages, and count these strings in a tally by their
 * templates.
 */
#include <procmem/page_strings.h>

#include <stdlib.h>

#include <procmem/minmax.h>
#include <procmem/pagemap.h>
#include <procmem/read_plan.h>
#include <procmem/reader.h>
#include <procmem/scan.h>
#include <procmem/tally.h>
#include <procmem/target_reader.h>
#include <procmem/text_template.h>

#include "base/array.h"
#include "content/page_set.h"

struct pm_page_strings {
	struct pm_process *process;
	struct pm_pagemap *pagemap;
	struct pm_page_source states; /* page states from `pagemap`, which a plan needs */
	struct pm_scanner *scanner;
	const struct pm_regions *regions; /* the current regions; like `reader`, set only between
	                                     pm_page_strings_begin() and pm_page_strings_end() */
	struct pm_reader reader;
};

/** A search; the context of the callbacks of the scan. */
struct search {
	const struct pm_page_set *pages;
	const struct pm_page_strings_options *options;
	struct pm_tally *tally;
	uint64_t total;      /* number of bytes of the widened set: the maximum to search, for the
	                        progress */
	uint64_t unreadable; /* number of bytes of `pages` that could not be read so far */
};

int pm_page_strings_open(struct pm_process *process, bool readable,
                         struct pm_page_strings **strings, struct pm_error *error)
{
	const struct pm_strings_options text = { .min_length = PM_PAGE_STRING_MIN };
	struct pm_page_strings *opened = calloc(1, sizeof *opened);

	if (!opened)
		return pm_error_out_of_memory(error);

	opened->process = process;
	if (pm_pagemap_open(process, PM_PAGEMAP_BEST, &opened->pagemap, error) < 0 ||
	    pm_strings_scanner_create(&text, &opened->scanner, error) < 0 ||
	    (readable && pm_target_reader_open(process, NULL, &opened->reader, error) < 0)) {
		pm_page_strings_close(opened);
		return -1;
	}

	opened->states = pm_pagemap_source(opened->pagemap);
	pm_page_strings_end(opened);

	*strings = opened;
	return 0;
}

void pm_page_strings_close(struct pm_page_strings *strings)
{
	if (!strings)
		return;

	pm_page_strings_end(strings);
	pm_scanner_destroy(strings->scanner);
	pm_pagemap_close(strings->pagemap);
	free(strings);
}

int pm_page_strings_begin(struct pm_page_strings *strings, const struct pm_regions *regions,
                          struct pm_error *error)
{
	strings->regions = regions;
	return pm_target_reader_open(strings->process, regions, &strings->reader, error);
}

void pm_page_strings_end(struct pm_page_strings *strings)
{
	if (strings->reader.ops)
		pm_reader_close(&strings->reader);

	strings->reader = (struct pm_reader){ 0 };
	strings->regions = NULL;
}

/**
 * Returns the number of bytes to remove from the start of a hit. This is 0, unless the hit starts
 * more than pm_page_set_margin() bytes before the pages. Then the true start of the string may not
 * have been scanned, so all bytes before the pages are removed.
 */
static size_t bytes_to_cut(const struct search *search, const struct pm_hit *hit)
{
	const struct pm_region_range *range = pm_page_set_find(search->pages, hit->address);
	if (!range || range->range.start <= hit->address + pm_page_set_margin() ||
	    range->range.start >= hit->address + hit->size)
		return 0;

	size_t cut = (size_t)(range->range.start - hit->address);
	/* Do not start within a character of UTF-8. */
	while (cut < hit->size && (hit->bytes[cut] & 0xc0) == 0x80)
		cut++;

	return cut;
}

static int copy_text(void *context, unsigned worker, const struct pm_hit *hit,
                     struct pm_scan_batch *batch, struct pm_error *error)
{
	size_t cut = bytes_to_cut(context, hit);
	size_t size = pm_min_size(hit->size - cut, PM_PAGE_STRING_MAX);

	(void)worker;
	return pm_scan_append(batch, hit->bytes + cut, size, error);
}

static int count_text(void *context, const struct pm_scan_delivery *delivery,
                      struct pm_error *error)
{
	const struct search *search = context;
	const struct pm_region_range *range = pm_page_set_find(search->pages, delivery->address);

	(void)error;
	/*
	 * Do not count a string outside of the pages, a piece of a very long string after its first
	 * piece, or a string of which the remaining part is too short.
	 */
	if (!range || range->range.start >= delivery->address + delivery->size ||
	    delivery->continued || delivery->length < PM_PAGE_STRING_MIN)
		return 0;

	char template[PM_PAGE_STRING_MAX];
	size_t length = pm_text_template_write(delivery->bytes, delivery->length, template);
	const struct pm_tally_text text = {
		.hash = pm_tally_hash(search->tally, 0, template, length),
		.text = delivery->bytes,
		.length = delivery->length,
		.first = delivery->address,
		.size = delivery->size,
	};

	pm_tally_add_similar(search->tally, &text);
	return 0;
}

/** Adds to search.unreadable the number of bytes of the pages that are in an unreadable range. */
static void count_unreadable(void *context, const struct pm_unreadable *unreadable)
{
	struct search *search = context;
	const struct pm_page_set *pages = search->pages;
	const struct pm_region_range *end = pages->ranges + pages->count;
	const struct pm_range lost = { unreadable->start, unreadable->end };

	for (const struct pm_region_range *range = pm_page_set_find(pages, lost.start);
	     range && range < end && range->range.start < lost.end; range++)
		search->unreadable += pm_range_size(pm_range_clip(range->range, lost));
}

static int report_progress(void *context, const struct pm_scan_totals *totals)
{
	const struct search *search = context;
	const struct pm_page_strings_options *options = search->options;

	if (options->progress)
		options->progress(options->context, totals->searched, search->total);
	return 0;
}

static uint64_t bytes_of(const struct pm_page_set *pages)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < pages->count; i++)
		sum += pm_range_size(pages->ranges[i].range);
	return sum;
}

/** Sorts the tally, and copies its most frequent strings, at most `max`, to `found`. */
static int copy_strings(struct pm_tally *tally, size_t max, struct pm_page_strings_found *found,
                        struct pm_error *error)
{
	size_t count = pm_min_size(pm_tally_count(tally), max), length = 0;

	pm_tally_sort(tally, PM_TALLY_BY_COUNT);
	for (size_t i = 0; i < count; i++)
		length += pm_tally_get(tally, i)->length;

	found->strings = calloc(count + 1, sizeof *found->strings);
	found->texts = malloc(length + 1);
	if (!found->strings || !found->texts) {
		pm_page_strings_found_deinit(found);
		return pm_error_out_of_memory(error);
	}

	char *bytes = found->texts;
	for (size_t i = 0; i < count; i++) {
		const struct pm_tally_item *item = pm_tally_get(tally, i);
		struct pm_page_string *string = &found->strings[i];

		string->bytes = bytes;
		string->length = pm_text_template_of_item(item, bytes);
		string->count = item->count;
		if (item->stride_count > item->count / 2)
			string->stride = item->stride;
		bytes += string->length;
	}

	found->count = count;
	return 0;
}

/** Opens a plan to read those pages of a set that are present or swapped out. */
static int open_plan(const struct pm_page_strings *strings, const struct pm_page_set *pages,
                     const struct search *search, struct pm_plan **plan, struct pm_error *error)
{
	const struct pm_plan_options options = { .pages = &strings->states,
		                                 .cancel = search->options->cancel };
	return pm_plan_open(strings->regions, pages->ranges, pages->count, &options, plan, error);
}

/** Computes the number of bytes in those pages of the set that are present or swapped out. */
static int measure_present(const struct pm_page_strings *strings, const struct search *search,
                           uint64_t *bytes, struct pm_error *error)
{
	struct pm_unit *unit = malloc(sizeof *unit);
	if (!unit)
		return pm_error_out_of_memory(error);

	struct pm_plan *plan;
	if (open_plan(strings, search->pages, search, &plan, error) < 0) {
		free(unit);
		return -1;
	}

	uint64_t sum = 0;
	int more;
	while ((more = pm_plan_next(plan, unit, error)) > 0)
		sum += unit->size;

	pm_plan_close(plan);
	free(unit);
	if (more < 0)
		return -1;

	*bytes = sum;
	return 0;
}

/** Scans the widened set of pages, and counts the strings of the pages in the tally. */
static int count_strings(struct pm_page_strings *strings, const struct pm_page_set *wide,
                         struct search *search, struct pm_error *error)
{
	struct pm_scan_totals totals = { 0 };
	struct pm_plan *plan;

	if (open_plan(strings, wide, search, &plan, error) < 0)
		return -1;

	/* Use one thread: it needs less CPU time in total than several threads. */
	const struct pm_scan scan = {
		.scanner = strings->scanner,
		.regions = strings->regions,
		.plan = plan,
		.source = { .target = &strings->reader,
		            .unreadable = count_unreadable,
		            .context = search,
		            .cancel = search->options->cancel },
		.workers = 1,
		.found = copy_text,
		.deliver = count_text,
		.tick = report_progress,
		.context = search,
	};
	search->total = bytes_of(wide);
	int result = pm_scan_run(&scan, &totals, error);

	pm_plan_close(plan);
	return result;
}

/**
 * Searches the pages. Does nothing if the set is empty.
 * @param present  receives the number of bytes of the set that are present or swapped out;
 *                 unchanged if the set is empty
 */
static int run(struct pm_page_strings *strings, struct search *search, uint64_t *present,
               struct pm_error *error)
{
	struct pm_page_set wide;

	/* A plan without ranges would read all memory. */
	if (search->pages->count == 0)
		return 0;
	if (measure_present(strings, search, present, error) < 0 ||
	    pm_page_set_widen(search->pages, strings->regions, &wide, error) < 0)
		return -1;

	int result = count_strings(strings, &wide, search, error);

	pm_page_set_deinit(&wide);
	return result;
}

int pm_page_strings_find(struct pm_page_strings *strings, const struct pm_page_set *pages,
                         const struct pm_page_strings_options *options,
                         struct pm_page_strings_found *found, struct pm_error *error)
{
	struct search search = { .pages = pages, .options = options };
	struct pm_page_strings_found made = { .pages = pages->bytes };
	uint64_t present = 0;

	if (pm_tally_create(PM_PAGE_STRINGS_BUDGET, &search.tally, error) < 0)
		return -1;

	int result = run(strings, &search, &present, error);
	if (result == 0)
		result = copy_strings(search.tally, options->max, &made, error);
	pm_tally_destroy(search.tally);
	if (result < 0)
		return -1;

	made.searched = present - pm_min(present, search.unreadable);
	*found = made;
	return 0;
}

void pm_page_strings_found_deinit(struct pm_page_strings_found *found)
{
	free(found->strings);
	free(found->texts);
	*found = (struct pm_page_strings_found){ 0 };
}
