/* SPDX-License-Identifier: MIT */
/*
 * usage: find_text TARGET TEXT
 *
 * Prints every place in the memory of a process that contains the text. Exits with status 1 if
 * there is none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <procmem/procmem.h>

/** Called for each hit, in order of addresses. */
static int deliver(void *context, const struct pm_scan_delivery *hit, struct pm_error *error)
{
	const struct pm_regions *regions = context;
	const struct pm_region *region = &regions->items[hit->region];

	(void)error;
	printf("%#" PRIx64 " is %" PRIu64 " bytes into %" PRIx64 "-%" PRIx64 " %s\n", hit->address,
	       hit->address - region->start, region->start, region->end, region->mapping);
	return 0;
}

/**
 * Searches all pages that are present. Pages that were never touched are skipped: they are zeros,
 * and touching them would make the process grow.
 */
static int scan(struct pm_process *process, struct pm_regions *regions,
                const struct pm_scanner *scanner, uint64_t *hits, struct pm_error *error)
{
	struct pm_pagemap *pagemap = NULL;
	struct pm_plan *plan = NULL;
	struct pm_reader reader = { 0 };
	struct pm_scan_totals totals;
	int status = -1;

	if (pm_maps_read(process, PM_SMAPS, regions, error) < 0 ||
	    pm_pagemap_open(process, PM_PAGEMAP_BEST, &pagemap, error) < 0)
		goto end;

	struct pm_page_source pages = pm_pagemap_source(pagemap);
	struct pm_plan_options options = { .pages = &pages };

	if (pm_plan_open(regions, NULL, 0, &options, &plan, error) < 0 ||
	    pm_target_reader_open(process, regions, &reader, error) < 0)
		goto end;

	struct pm_scan scan = {
		.scanner = scanner,
		.regions = regions,
		.plan = plan,
		.source.target = &reader,
		.deliver = deliver,
		.context = regions,
	};

	/* The totals are filled even if the scan fails. */
	status = pm_scan_run(&scan, &totals, error);
	if (totals.unreadable > 0)
		fprintf(stderr, "find_text: %" PRIu64 " bytes could not be read\n",
		        totals.unreadable);
	*hits = totals.hits;

end:
	pm_reader_close(&reader);
	pm_plan_close(plan);
	pm_pagemap_close(pagemap);
	return status;
}

int main(int argc, char **argv)
{
	struct pm_process *process = NULL;
	struct pm_scanner *scanner = NULL;
	struct pm_regions regions;
	struct pm_error error;
	uint64_t hits = 0;
	pid_t pid;

	if (argc != 3) {
		fprintf(stderr, "usage: find_text TARGET TEXT\n");
		return 2;
	}

	pm_regions_init(&regions);
	struct pm_pattern pattern = {
		.text = argv[2],
		.length = strlen(argv[2]),
		.flags = PM_PATTERN_FIXED,
	};
	int failed = pm_pattern_scanner_create(&pattern, 1, &scanner, &error) < 0 ||
	             pm_process_find(argv[1], &pid, &error) < 0 ||
	             pm_process_open(NULL, pid, &process, &error) < 0 ||
	             scan(process, &regions, scanner, &hits, &error) < 0;

	if (failed)
		fprintf(stderr, "find_text: %s\n", error.text);

	pm_regions_deinit(&regions);
	pm_process_close(process);
	pm_scanner_destroy(scanner);
	return failed ? 2 : hits == 0;
}
