/* SPDX-License-Identifier: MIT */
/**
 * @file Remembers the pages of the last measurement, to find pages that appeared later. Private.
 */
#ifndef PM_SAMPLE_PAGE_HISTORY_H
#define PM_SAMPLE_PAGE_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/pagemap.h>
#include <procmem/region.h>
#include <procmem/select.h>

/** Ranges of addresses in ascending order that do not overlap. */
struct pm_page_ranges {
	struct pm_region_range *items; /**< the ranges; `region` is SIZE_MAX until they were split
	                                  at the borders of regions */
	size_t count;                  /**< number of ranges */
	size_t capacity;               /**< private */
};

/** Pages that are present or swapped. A zeroed history is empty. */
struct pm_page_history {
	struct pm_page_ranges known;    /**< pages found by the last measurement */
	struct pm_page_ranges next;     /**< pages found by the measurement in progress */
	struct pm_page_ranges appeared; /**< pages in `next` that are not in `known` */
	uint64_t done;                  /**< `next` is complete up to this address */
	size_t copied;     /**< index in `known` of the first range that ends after `done` */
	size_t compared;   /**< index in `known` of the first range not yet compared with a run */
	uint64_t joinable; /**< maximum gap across which ranges of `next` are joined, in bytes */
};

/**
 * Maximum number of ranges in a list; they use 24 MiB. If a process has more runs of pages, runs
 * with small gaps between them are joined to one range, and new pages in such gaps are not noticed.
 */
enum { PM_PAGE_HISTORY_MAX = 1 << 20 };

/**
 * Starts a measurement.
 * @param history the history
 */
void pm_page_history_begin(struct pm_page_history *history);

/**
 * Starts a span of addresses that is measured. The caller then adds all runs of the span. These
 * runs replace the pages that were known in the span. The pages that were known between the
 * previous span and this span are kept.
 *
 * @param history  the history
 * @param start    first address; not less than the end of the previous span
 * @param end      address after the last byte
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_page_history_span(struct pm_page_history *history, uint64_t start, uint64_t end,
                         struct pm_error *error);

/**
 * Adds a run of pages of the span that was started last. Only pages that are present or swapped
 * count; guards and the zero page are ignored.
 *
 * @param history  the history
 * @param run      the run
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_page_history_run(struct pm_page_history *history, const struct pm_page_run *run,
                        struct pm_error *error);

/**
 * Ends the measurement: splits the known ranges and those that appeared at the borders of regions,
 * and sets the index of the region of each range.
 *
 * @param history  the history
 * @param regions  the regions that were measured
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_page_history_end(struct pm_page_history *history, const struct pm_regions *regions,
                        struct pm_error *error);

/**
 * Splits the ranges that appeared at the borders of the regions of a new list, and sets the index
 * of the region of each range. Use this if the list was read without measuring pages.
 *
 * @param history  the history
 * @param regions  the new list
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_page_history_fit(struct pm_page_history *history, const struct pm_regions *regions,
                        struct pm_error *error);

/**
 * Releases a history; it is empty afterwards.
 * @param history the history
 */
void pm_page_history_deinit(struct pm_page_history *history);

#endif
