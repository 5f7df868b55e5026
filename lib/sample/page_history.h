/* SPDX-License-Identifier: MIT */
/** @file The pages of the last measurement, to find those that appeared since. Private. */
#ifndef PM_SAMPLE_PAGE_HISTORY_H
#define PM_SAMPLE_PAGE_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/pagemap.h>
#include <procmem/region.h>
#include <procmem/select.h>

/** Ranges of addresses: ascending, not overlapping. */
struct pm_page_ranges {
	struct pm_region_range
		*items;  /**< the ranges; `region` is filled only if they are clipped */
	size_t count;    /**< number of ranges */
	size_t capacity; /**< private */
};

/** Pages that are present or swapped. Zeroed: none are known. */
struct pm_page_history {
	struct pm_page_ranges known;    /**< at the last measurement */
	struct pm_page_ranges next;     /**< at the measurement in progress */
	struct pm_page_ranges appeared; /**< in `next`, but not in `known` */
	uint64_t done;                  /**< `next` is complete up to this address */
	size_t copied;     /**< index in `known` of the first range that ends after `done` */
	size_t compared;   /**< index in `known` of the first range not yet compared with a run */
	uint64_t joinable; /**< ranges of `next` with gaps up to this number of bytes are joined */
};

/**
 * Maximum number of ranges, which need 24 MiB. In a process with more separate runs of pages, new
 * pages in small gaps are missed.
 */
enum { PM_PAGE_HISTORY_MAX = 1 << 20 };

/**
 * Starts a measurement.
 * @param history the history
 */
void pm_page_history_begin(struct pm_page_history *history);

/**
 * Starts a span: all its runs follow, and its known pages are replaced by them. Pages before the
 * span that were not measured are kept.
 *
 * @param history  the history
 * @param start    first address, ascending from call to call
 * @param end      address after the last byte
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_page_history_span(struct pm_page_history *history, uint64_t start, uint64_t end,
                         struct pm_error *error);

/**
 * Adds a run of the span.
 *
 * @param history  the history
 * @param run      the run
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_page_history_run(struct pm_page_history *history, const struct pm_page_run *run,
                        struct pm_error *error);

/**
 * Ends the measurement: clips all ranges to regions, and fills in the indexes of these.
 *
 * @param history  the history
 * @param regions  the regions that were measured
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_page_history_end(struct pm_page_history *history, const struct pm_regions *regions,
                        struct pm_error *error);

/**
 * Clips the pages that appeared again, after the list of regions was read without measuring pages.
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
