/* SPDX-License-Identifier: MIT */
/** @file Computes the segments of a plan, one by one. Private. */
#ifndef PM_READER_SEGMENTS_H
#define PM_READER_SEGMENTS_H

#include <procmem/read_plan.h>

/** Maximum number of runs in the window of page states. */
enum { PM_WINDOW_RUNS = 4096 };

/**
 * State of computing the segments of a plan. Initialise with pm_segments_init(). The state owns no
 * memory, so it need not be released.
 */
struct pm_segments {
	const struct pm_regions *regions; /**< the regions */
	/** The chosen ranges; NULL if all regions are chosen */
	const struct pm_region_range *ranges;
	size_t count;                   /**< number of ranges */
	struct pm_plan_options options; /**< options of the plan */
	uint64_t page_mask;             /**< page size - 1 */

	struct pm_range range; /**< the current range */
	/** Index of the region that contains `range`; SIZE_MAX if nothing is mapped there */
	size_t region;
	size_t next_range; /**< index of the range after the current one */
	uint64_t at;       /**< start address of the next segment */
	uint64_t walked;   /**< page states are known up to this address */

	struct pm_segment held; /**< segment that was computed, but not returned yet */
	bool has_held;          /**< whether `held` is valid */
	/** Segment that was returned last; its `end` is 0 if none was returned yet */
	struct pm_segment last;

	/** Index of the first run in the window that ends after `at` */
	size_t run_next;
	size_t run_count;   /**< number of runs in the window */
	uint64_t run_bytes; /**< sum of the sizes of the runs in the window, in bytes */
	/** The window: page states up to the address `walked` */
	struct pm_page_run runs[PM_WINDOW_RUNS];
};

/**
 * Initialises the state. The first call of pm_segments_next() then returns the first segment.
 *
 * @param segments  initialised
 * @param regions   as for pm_plan_open()
 * @param ranges    as for pm_plan_open()
 * @param count     as for pm_plan_open()
 * @param options   as for pm_plan_open(), not NULL
 */
void pm_segments_init(struct pm_segments *segments, const struct pm_regions *regions,
                      const struct pm_region_range *ranges, size_t count,
                      const struct pm_plan_options *options);

/**
 * Returns the next segment. Adjacent segments of the same type are merged, except that a segment of
 * the type PM_SEGMENT_RUN ends after about 64 MiB.
 *
 * @param segments  the state
 * @param segment   receives the segment
 * @param error     PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return          1: a segment was returned; 0: there are no more segments; -1: an error
 */
int pm_segments_next(struct pm_segments *segments, struct pm_segment *segment,
                     struct pm_error *error);

#endif
