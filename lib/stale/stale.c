/* SPDX-License-Identifier: MIT */
#include <procmem/stale.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/kinds.h>
#include <procmem/maps.h>
#include <procmem/pagemap.h>
#include <procmem/target_reader.h>

#include "base/array.h"
#include "base/clock.h"
#include "proc/access.h"
#include "sample/inherit.h"
#include "stale/sizes.h"

struct pm_stale {
	struct pm_process *process;
	struct pm_regions regions; /* the regions at the last reading, with inherited kinds */
	struct pm_stale_prediction prediction;
	struct pm_stale_pieces pieces[PM_STALE_READINGS_MAX]; /* the sizes at each reading */
	struct pm_stale_reading readings[PM_STALE_READINGS_MAX];
	size_t reading_count;
	uint64_t cleared_ns; /* CLOCK_BOOTTIME when the marks were removed */
	uint64_t stall_us;
	struct pm_stale_region *results; /* of pm_stale_finish() */
};

/* Time that the kernel needs to remove marks. Measured on one machine that was idle, see
 * docs/KERNEL.md; there, it took up to 1.5 times as long when the machine was busy. */
static const double us_per_gib = 12000;
static const double us_per_huge_gib = 200;
static const double us_per_region = 1;

/** Classifies regions by all evidence that this process may read. */
static int assign_kinds(struct pm_process *process, struct pm_regions *regions,
                        struct pm_error *error)
{
	struct pm_reader reader = { 0 };
	struct pm_error refused = { 0 };
	struct pm_kinds_evidence evidence = { .process = process };

	if (pm_target_reader_open(process, regions, &reader, &refused) == 0)
		evidence.reader = &reader;
	else
		evidence.refusal = refused.text;
	if (pm_pagemap_open(process, PM_PAGEMAP_BEST, &evidence.pagemap, NULL) < 0)
		evidence.pagemap = NULL;

	int result = pm_kinds_assign(regions, &evidence, error);
	pm_pagemap_close(evidence.pagemap);
	if (evidence.reader)
		pm_reader_close(&reader);

	return result;
}

static struct pm_stale_prediction predict(const struct pm_regions *regions)
{
	const double gib = (double)(UINT64_C(1) << 30);
	struct pm_stale_prediction prediction = { .regions = regions->count };

	for (size_t i = 0; i < regions->count; i++) {
		const uint64_t *bytes = regions->items[i].bytes;
		prediction.rss += bytes[PM_SIZE_RSS];
		prediction.huge += bytes[PM_SIZE_ANON_HUGE] + bytes[PM_SIZE_SHMEM_PMD] +
		                   bytes[PM_SIZE_FILE_PMD];
	}

	/* The sizes of a region are read one after the other, so they need not agree. */
	if (prediction.huge > prediction.rss)
		prediction.huge = prediction.rss;

	double small = (double)(prediction.rss - prediction.huge);
	prediction.stall_us = (uint64_t)(small / gib * us_per_gib +
	                                 (double)prediction.huge / gib * us_per_huge_gib +
	                                 (double)prediction.regions * us_per_region);

	return prediction;
}

int pm_stale_open(struct pm_process *process, struct pm_stale **stale, struct pm_error *error)
{
	struct pm_stale *opened = calloc(1, sizeof *opened);
	if (!opened)
		return pm_error_out_of_memory(error);

	opened->process = process;
	pm_regions_init(&opened->regions);
	if (pm_maps_read(process, PM_SMAPS, &opened->regions, error) < 0 ||
	    assign_kinds(process, &opened->regions, error) < 0) {
		pm_stale_close(opened);
		return -1;
	}

	opened->prediction = predict(&opened->regions);
	*stale = opened;
	return 0;
}

void pm_stale_close(struct pm_stale *stale)
{
	if (!stale)
		return;

	for (size_t i = 0; i < PM_STALE_READINGS_MAX; i++)
		pm_stale_pieces_deinit(&stale->pieces[i]);
	pm_regions_deinit(&stale->regions);
	free(stale->results);
	free(stale);
}

const struct pm_regions *pm_stale_regions(const struct pm_stale *stale)
{
	return &stale->regions;
}

struct pm_stale_prediction pm_stale_predict(const struct pm_stale *stale)
{
	return stale->prediction;
}

/**
 * Opens clear_refs for writing. Its mode is 0200, and there is no other check. smaps was read
 * before, so a refusal has no other cause than the mode.
 */
static int open_clear_refs(struct pm_stale *stale, int *fd, struct pm_error *error)
{
	struct pm_error cause = { 0 };
	if (pm_process_open_file(stale->process, "clear_refs", O_WRONLY, fd, &cause) == 0)
		return 0;

	if (cause.kind == PM_ERROR_NOT_FOUND && cause.os_errno == ENOENT)
		return pm_error_set(error, PM_ERROR_UNSUPPORTED, ENOENT,
		                    "this kernel has no clear_refs, so it cannot be found out "
		                    "which memory is touched: CONFIG_PROC_PAGE_MONITOR is off");
	if (cause.kind == PM_ERROR_ACCESS)
		return pm_error_set(
			error, PM_ERROR_ACCESS, cause.os_errno,
			"cannot write to the clear_refs of process %d: this needs the "
			"user of the process or CAP_DAC_OVERRIDE, and CAP_SYS_PTRACE is "
			"not enough; run procmem as root (sudo)",
			(int)pm_process_pid(stale->process));
	if (error)
		*error = cause;
	return -1;
}

/** Removes the marks, and measures how long this takes. */
static int write_clear_refs(struct pm_stale *stale, int fd, struct pm_error *error)
{
	uint64_t begin = pm_clock_ns(CLOCK_BOOTTIME);
	ssize_t written = write(fd, "1\n", 2);
	int cause = errno;
	uint64_t end = pm_clock_ns(CLOCK_BOOTTIME);

	if (written < 0) {
		pid_t pid = pm_process_pid(stale->process);
		if (pm_process_check(stale->process, error) < 0)
			return -1;
		return pm_access_explain(pm_process_root(stale->process), pid,
		                         "write to the clear_refs of", cause, error);
	}

	stale->cleared_ns = end;
	stale->stall_us = (end - begin) / 1000;
	return 0;
}

int pm_stale_clear(struct pm_stale *stale, struct pm_error *error)
{
	int fd;
	if (open_clear_refs(stale, &fd, error) < 0)
		return -1;

	/* After an exec, the file would be that of the new program. */
	int result = pm_process_check(stale->process, error);
	if (result == 0)
		result = write_clear_refs(stale, fd, error);
	close(fd);
	if (result < 0)
		return -1;

	return pm_stale_read(stale, error);
}

/** Reads smaps into a new list, whose regions have the kinds of the former list. */
static int read_regions(struct pm_stale *stale, struct pm_regions *regions,
                        struct pm_stale_pieces *pieces, struct pm_error *error)
{
	if (pm_maps_read(stale->process, PM_SMAPS, regions, error) < 0 ||
	    pm_inherit(&stale->regions, regions, error) < 0)
		return -1;

	return pm_stale_pieces_copy(pieces, regions, error);
}

static void add_sums(struct pm_stale_reading *reading, const struct pm_stale_pieces *pieces)
{
	for (size_t i = 0; i < pieces->count; i++) {
		reading->rss += pieces->items[i].rss;
		reading->referenced += pieces->items[i].referenced;
	}
}

int pm_stale_read(struct pm_stale *stale, struct pm_error *error)
{
	struct pm_regions regions;
	size_t count = stale->reading_count;

	if (count == PM_STALE_READINGS_MAX)
		return pm_error_set(error, PM_ERROR_RESOURCES, 0,
		                    "at most %d readings can be taken", PM_STALE_READINGS_MAX);

	pm_regions_init(&regions);
	uint64_t begin = pm_clock_ns(CLOCK_BOOTTIME);
	if (read_regions(stale, &regions, &stale->pieces[count], error) < 0) {
		pm_regions_deinit(&regions);
		return -1;
	}

	stale->readings[count] = (struct pm_stale_reading){
		.seconds = (double)(begin - stale->cleared_ns) / PM_NS_PER_SECOND,
		.read_us = (pm_clock_ns(CLOCK_BOOTTIME) - begin) / 1000,
	};
	add_sums(&stale->readings[count], &stale->pieces[count]);
	stale->reading_count++;
	pm_regions_deinit(&stale->regions);
	stale->regions = regions;

	return 0;
}

bool pm_stale_last(const struct pm_stale *stale, struct pm_stale_reading *reading)
{
	if (stale->reading_count == 0)
		return false;

	*reading = stale->readings[stale->reading_count - 1];
	return true;
}

static bool has_unknown_kinds(const struct pm_regions *regions)
{
	for (size_t i = 0; i < regions->count; i++)
		if (regions->items[i].kind == PM_KIND_UNKNOWN)
			return true;
	return false;
}

/** Finds the kinds of regions that have appeared since pm_stale_open(). */
static int complete_kinds(struct pm_stale *stale, struct pm_error *error)
{
	const struct pm_kinds_evidence none = { .refusal = "the process has ended" };

	if (!has_unknown_kinds(&stale->regions) ||
	    assign_kinds(stale->process, &stale->regions, NULL) == 0)
		return 0;

	return pm_kinds_assign(&stale->regions, &none, error);
}

int pm_stale_finish(struct pm_stale *stale, struct pm_stale_result *result, struct pm_error *error)
{
	struct pm_stale_result computed = { .stall_us = stale->stall_us,
		                            .reading_count = stale->reading_count };

	if (stale->reading_count == 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "there are no readings");
	if (complete_kinds(stale, error) < 0)
		return -1;

	free(stale->results);
	stale->results = calloc(stale->regions.count + 1, sizeof *stale->results);
	if (!stale->results)
		return pm_error_out_of_memory(error);

	computed.regions = stale->results;
	memcpy(computed.readings, stale->readings, sizeof computed.readings);
	pm_stale_sizes_compute(&computed, &stale->regions, stale->pieces);
	*result = computed;

	return 0;
}
