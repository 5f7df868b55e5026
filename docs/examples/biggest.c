/* SPDX-License-Identifier: MIT */
/*
 * usage: biggest TARGET
 *
 * Prints the five regions of a process with the most resident memory, and what they are for.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <procmem/procmem.h>

enum { SHOWN = 5 };

/** Reads the regions with all sizes, and determines what they are for. */
static int read_regions(struct pm_process *process, struct pm_regions *regions,
                        struct pm_error *error)
{
	struct pm_reader reader;
	struct pm_kinds_evidence evidence = { .process = process };

	if (pm_maps_read(process, PM_SMAPS, regions, error) < 0)
		return -1;

	/* Without permission to read memory, malloc's regions have the kind anon. */
	if (pm_target_reader_open(process, regions, &reader, NULL) == 0)
		evidence.reader = &reader;

	int status = pm_kinds_assign(regions, &evidence, error);

	if (evidence.reader)
		pm_reader_close(&reader);
	return status;
}

/** Compares for qsort(3): the region with more resident memory comes first. */
static int by_rss(const void *left, const void *right)
{
	const struct pm_region *a = left;
	const struct pm_region *b = right;
	uint64_t a_rss = a->bytes[PM_SIZE_RSS];
	uint64_t b_rss = b->bytes[PM_SIZE_RSS];

	return (a_rss < b_rss) - (a_rss > b_rss);
}

static void print_region(const struct pm_region *region)
{
	char rss[PM_SIZE_TEXT_SIZE];

	pm_format_size(region->bytes[PM_SIZE_RSS], rss);
	printf("%" PRIx64 "-%" PRIx64 " %8s  %s  %s%s\n", region->start, region->end, rss,
	       pm_kind_name(region->kind), region->mapping, region->detail);
}

static void print_biggest(struct pm_regions *regions)
{
	if (regions->count == 0) {
		printf("the process has no regions\n");
		return;
	}

	qsort(regions->items, regions->count, sizeof *regions->items, by_rss);
	for (size_t i = 0; i < regions->count && i < SHOWN; i++)
		print_region(&regions->items[i]);
}

int main(int argc, char **argv)
{
	struct pm_process *process = NULL;
	struct pm_regions regions;
	struct pm_error error;
	pid_t pid;

	if (argc != 2) {
		fprintf(stderr, "usage: biggest TARGET\n");
		return 2;
	}

	pm_regions_init(&regions);
	int failed = pm_process_find(argv[1], &pid, &error) < 0 ||
	             pm_process_open(NULL, pid, &process, &error) < 0 ||
	             read_regions(process, &regions, &error) < 0;

	if (failed)
		fprintf(stderr, "biggest: %s\n", error.text);
	else
		print_biggest(&regions);

	pm_regions_deinit(&regions);
	pm_process_close(process);
	return failed ? 2 : 0;
}
