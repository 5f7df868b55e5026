/* SPDX-License-Identifier: MIT */
/*
 * Searches a process with one call: opens the handles that a scan needs, runs the scan, and
 * releases the handles. The thread that finds a match appends the bytes of the match to a batch.
 * The thread of the caller passes these bytes to the visitor.
 */
#include <procmem/search.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/kinds.h>
#include <procmem/maps.h>
#include <procmem/pagemap.h>
#include <procmem/pattern_scan.h>
#include <procmem/process.h>
#include <procmem/read_plan.h>
#include <procmem/reader.h>
#include <procmem/select.h>
#include <procmem/stop.h>
#include <procmem/target_reader.h>

/** A search and its handles, in the order in which they are opened. */
struct search {
	const struct pm_search_options *options;
	pm_match_visitor *visit;
	void *context;
	struct pm_process *process;
	struct pm_stop *stop;
	struct pm_regions regions;
	struct pm_pagemap *pagemap;
	struct pm_reader reader;
	struct pm_region_range *ranges;
	size_t range_count;
	struct pm_plan *plan;
	bool ended; /* the visitor ended the search */
};

static void close_search(struct search *search)
{
	pm_plan_close(search->plan);
	free(search->ranges);
	pm_reader_close(&search->reader);
	pm_pagemap_close(search->pagemap);
	pm_regions_deinit(&search->regions);
	pm_stop_end(search->stop);
	pm_process_close(search->process);
}

/** Reads the regions of the process, and determines their kinds. */
static int read_regions(struct search *search, struct pm_error *error)
{
	if (pm_maps_read(search->process, PM_SMAPS, &search->regions, error) < 0 ||
	    pm_pagemap_open(search->process, PM_PAGEMAP_BEST, &search->pagemap, error) < 0 ||
	    pm_target_reader_open(search->process, &search->regions, &search->reader, error) < 0)
		return -1;

	const struct pm_kinds_evidence evidence = {
		.process = search->process,
		.reader = &search->reader,
		.pagemap = search->pagemap,
	};

	return pm_kinds_assign(&search->regions, &evidence, error);
}

/** Selects the address ranges of the regions that the options name. */
static int select_ranges(struct search *search, struct pm_error *error)
{
	struct pm_select *select = NULL;
	int result = pm_select_create(&select, error);

	for (const char *const *word = search->options->regions; result == 0 && *word; word++)
		result = pm_select_add_word(select, *word, error);

	if (result == 0)
		result = pm_select_apply(select, &search->regions, &search->ranges,
		                         &search->range_count, error);
	pm_select_destroy(select);

	return result;
}

/** Opens all handles. The caller releases them with close_search(), also after a failure. */
static int open_search(struct search *search, pid_t pid, struct pm_error *error)
{
	const struct pm_search_options *options = search->options;

	if (pm_process_open(NULL, pid, &search->process, error) < 0)
		return -1;
	if (options->stop &&
	    pm_stop_begin(search->process, options->cancel, &search->stop, error) < 0)
		return -1;
	if (read_regions(search, error) < 0)
		return -1;
	if (options->regions && select_ranges(search, error) < 0)
		return -1;

	return 0;
}

static int append_bytes(void *context, unsigned worker, const struct pm_hit *hit,
                        struct pm_scan_batch *batch, struct pm_error *error)
{
	(void)context;
	(void)worker;
	return pm_scan_append(batch, hit->bytes, hit->size, error);
}

static int deliver(void *context, const struct pm_scan_delivery *delivery, struct pm_error *error)
{
	struct search *search = context;
	const struct pm_match match = {
		.address = delivery->address,
		.length = delivery->length,
		.bytes = delivery->bytes,
		.region = &search->regions.items[delivery->region],
		.encoding = delivery->encoding,
		.truncated = delivery->truncated,
		.continued = delivery->continued,
	};

	(void)error;
	search->ended = search->visit(search->context, &match) != 0;
	return search->ended;
}

static int scan(struct search *search, const struct pm_scanner *scanner,
                struct pm_scan_totals *totals, struct pm_error *error)
{
	struct pm_page_source pages = pm_pagemap_source(search->pagemap);
	const struct pm_plan_options options = {
		.pages = &pages,
		.cancel = search->options->cancel,
	};

	if (pm_plan_open(&search->regions, search->ranges, search->range_count, &options,
	                 &search->plan, error) < 0)
		return -1;

	const struct pm_scan scan = {
		.scanner = scanner,
		.regions = &search->regions,
		.plan = search->plan,
		.source = { .target = &search->reader, .cancel = search->options->cancel },
		.workers = search->options->workers,
		.found = append_bytes,
		.deliver = deliver,
		.context = search,
	};

	if (pm_scan_run(&scan, totals, error) < 0)
		return -1;
	return pm_process_check(search->process, error);
}

/**
 * Fails if a search is incomplete. Used if the caller does not receive the totals, which would show
 * this.
 */
static int check_totals(const struct pm_scan_totals *totals, struct pm_error *error)
{
	if (totals->unreadable > 0)
		return pm_error_set(error, PM_ERROR_UNREADABLE, 0,
		                    "%" PRIu64 " bytes could not be read", totals->unreadable);
	if (totals->gave_up > 0)
		return pm_error_set(error, PM_ERROR_RESOURCES, 0,
		                    "matching the pattern took too long at %" PRIu64
		                    " addresses: matches there may be missing",
		                    totals->gave_up);
	return 0;
}

/** Searches a process with a scanner, and destroys the scanner. */
static int run(pid_t pid, struct pm_scanner *scanner, struct search *search,
               struct pm_scan_totals *totals, struct pm_error *error)
{
	struct pm_scan_totals found = { 0 };

	pm_regions_init(&search->regions);
	int result = open_search(search, pid, error);
	if (result == 0)
		result = scan(search, scanner, &found, error);

	close_search(search);
	pm_scanner_destroy(scanner);

	if (totals)
		*totals = found;
	else if (result == 0 && !search->ended)
		result = check_totals(&found, error);

	return result;
}

static const struct pm_search_options no_options;

int pm_grep_process(pid_t pid, const char *pattern, const struct pm_search_options *options,
                    pm_match_visitor *visit, void *context, struct pm_scan_totals *totals,
                    struct pm_error *error)
{
	struct search search = {
		.options = options ? options : &no_options,
		.visit = visit,
		.context = context,
	};
	const struct pm_pattern one = {
		.text = pattern,
		.length = strlen(pattern),
		.flags = search.options->flags,
	};
	struct pm_scanner *scanner;

	if (totals)
		*totals = (struct pm_scan_totals){ 0 };
	if (pm_pattern_scanner_create(&one, 1, &scanner, error) < 0)
		return -1;

	return run(pid, scanner, &search, totals, error);
}

int pm_strings_process(pid_t pid, const struct pm_search_options *options, pm_match_visitor *visit,
                       void *context, struct pm_scan_totals *totals, struct pm_error *error)
{
	struct search search = {
		.options = options ? options : &no_options,
		.visit = visit,
		.context = context,
	};
	struct pm_scanner *scanner;

	if (totals)
		*totals = (struct pm_scan_totals){ 0 };
	if (pm_strings_scanner_create(&search.options->strings, &scanner, error) < 0)
		return -1;

	return run(pid, scanner, &search, totals, error);
}
