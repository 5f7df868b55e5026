/* SPDX-License-Identifier: MIT */
/** @file The sequence of segments of a plan, made while it is read. Private. */
#ifndef PM_READER_SEGMENTS_H
#define PM_READER_SEGMENTS_H

#include <procmem/read_plan.h>

enum { PM_WINDOW_RUNS = 4096 };

/** The sequence; initialise with pm_segments_init(), nothing to release. */
struct pm_segments {
	const struct pm_regions *regions;     /**< the regions */
	const struct pm_region_range *ranges; /**< the chosen ranges; NULL: all regions */
	size_t count;                         /**< how many ranges */
	struct pm_plan_options options;       /**< as the caller gave them */
	uint64_t page_mask;                   /**< page size - 1 */

	struct pm_range range; /**< the current range */
	size_t region;         /**< index of the region that contains it, SIZE_MAX for none */
	size_t next_range;     /**< index of the one behind it */
	uint64_t at;           /**< everything before this address is handed out */
	uint64_t walked;       /**< page states are known up to here */

	struct pm_segment held;   /**< looked at already, not yet handed out */
	bool has_held;            /**< whether there is one */
	struct pm_segment handed; /**< the last one handed out; an end of 0 means none */

	size_t run_next;    /**< first run not used up */
	size_t run_count;   /**< runs in the window */
	uint64_t run_bytes; /**< sum of their sizes */
	struct pm_page_run
		runs[PM_WINDOW_RUNS]; /**< the window: page states between `at` and `walked` */
};

/**
 * Starts the sequence.
 * @param segments filled
 * @param regions
 * @param ranges
 * @param count @param options as for pm_plan_open()
 */
void pm_segments_init(struct pm_segments *segments, const struct pm_regions *regions,
                      const struct pm_region_range *ranges, size_t count,
                      const struct pm_plan_options *options);

/**
 * Hands out the next segment: as long as can be, except that runs end at about 64 MiB.
 *
 * @param segments  the sequence
 * @param segment   filled when there is one
 * @param error     PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return          1: a segment; 0: the end; -1: an error
 */
int pm_segments_next(struct pm_segments *segments, struct pm_segment *segment,
                     struct pm_error *error);

#endif
