/* SPDX-License-Identifier: MIT */
/** @file The segments of a plan, computed one by one. Private. */
#ifndef PM_READER_SEGMENTS_H
#define PM_READER_SEGMENTS_H

#include <procmem/read_plan.h>

/** Maximum number of runs in the window. */
enum { PM_WINDOW_RUNS = 4096 };

/** The segments of a plan. Initialise with pm_segments_init(); nothing to release. */
struct pm_segments {
	const struct pm_regions *regions;     /**< the regions */
	const struct pm_region_range *ranges; /**< the chosen ranges; NULL: all regions */
	size_t count;                         /**< number of ranges */
	struct pm_plan_options options;       /**< as given by the caller */
	uint64_t page_mask;                   /**< page size - 1 */

	struct pm_range range; /**< the current range */
	size_t region;         /**< index of the region that contains it, SIZE_MAX for none */
	size_t next_range;     /**< index of the range after it */
	uint64_t at;           /**< start of the next segment */
	uint64_t walked;       /**< page states are known up to this address */

	struct pm_segment held; /**< computed, but not returned yet */
	bool has_held;          /**< whether `held` is valid */
	struct pm_segment last; /**< the last segment that was returned; its end is 0 for none */

	size_t run_next;                         /**< index of the first run that is still needed */
	size_t run_count;                        /**< number of runs in the window */
	uint64_t run_bytes;                      /**< sum of their sizes in bytes */
	struct pm_page_run runs[PM_WINDOW_RUNS]; /**< the window: page states from `at` to
	                                            `walked` */
};

/**
 * Starts at the first segment.
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
 * Returns the next segment. It is as long as possible, but a run ends after about 64 MiB.
 *
 * @param segments  the segments
 * @param segment   receives the segment
 * @param error     PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return          1: a segment; 0: the end; -1: an error
 */
int pm_segments_next(struct pm_segments *segments, struct pm_segment *segment,
                     struct pm_error *error);

#endif
