/* SPDX-License-Identifier: MIT */
/** @file A simulated process that a tracker follows. Include after cmocka.h. */
#ifndef TESTS_SUPPORT_FOLLOWED_PROCESS_H
#define TESTS_SUPPORT_FOLLOWED_PROCESS_H

#include <procmem/tracker.h>

enum { PAGE = 4096, KILO = 1024, MEGA = 1024 * 1024, RW = PM_PERM_READ | PM_PERM_WRITE };

/** A process whose regions are built again for each sample. */
struct process {
	struct pm_tracker *tracker;
	struct pm_regions regions;
	double time;
};

/**
 * Starts without regions.
 * @param process  filled; release with end()
 */
static inline void begin(struct process *process)
{
	*process = (struct process){ 0 };
	assert_int_equal(pm_tracker_create(&process->tracker, NULL), 0);
}

/**
 * Adds a region to the next sample.
 * @return the region, valid until the next one is added
 */
static inline struct pm_region *add(struct process *process, uint64_t start, uint64_t size,
                                    uint64_t rss, enum pm_kind kind, const char *detail)
{
	struct pm_region region = { .start = start,
		                    .end = start + size,
		                    .perms = RW,
		                    .kind = (uint8_t)kind,
		                    .mapping = "" };
	if (*detail)
		region.detail = (struct pm_detail){ .type = PM_DETAIL_TEXT, .text = detail };
	region.bytes[PM_SIZE_RSS] = rss;
	assert_int_equal(pm_regions_append(&process->regions, &region, NULL), 0);
	return &process->regions.items[process->regions.count - 1];
}

/** Adds the regions to the tracker as the next sample. */
static inline void sample(struct process *process, double seconds)
{
	assert_int_equal(pm_tracker_add(process->tracker, process->time, &process->regions, NULL),
	                 0);
	pm_regions_deinit(&process->regions);
	process->time += seconds;
}

/** Releases the process. */
static inline void end(struct process *process)
{
	pm_regions_deinit(&process->regions);
	pm_tracker_destroy(process->tracker);
}

#endif
