/* SPDX-License-Identifier: MIT */
/** @file Which pages were there at the last look, to tell which appeared since. Private. */
#ifndef PM_SAMPLE_PAGE_HISTORY_H
#define PM_SAMPLE_PAGE_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/pagemap.h>
#include <procmem/region.h>
#include <procmem/select.h>

/** Ranges of addresses, ascending, not overlapping. */
struct pm_page_ranges {
	struct pm_region_range *items; /**< `region` is filled only in what appeared */
	size_t count;                  /**< how many */
	size_t capacity;               /**< private */
};

/** Pages that are there. Zeroed: none are known yet. */
struct pm_page_history {
	struct pm_page_ranges known;    /**< at the last look */
	struct pm_page_ranges next;     /**< at the one that is being taken */
	struct pm_page_ranges appeared; /**< in `next`, but not in `known` */
	uint64_t done;                  /**< up to this address `next` is made */
	size_t copied;     /**< index in `known` of the first range that reaches behind `done` */
	size_t compared;   /**< the same, for the runs that come */
	uint64_t joinable; /**< ranges of `next` closer to each other than this become one */
};

/**
 * Most ranges that are kept: 24 MiB. A process with more separate runs of pages is remembered less
 * exactly: new pages in small gaps are missed.
 */
enum { PM_PAGE_HISTORY_MAX = 1 << 20 };

/**
 * Begins a look.
 * @param history the history
 */
void pm_page_history_begin(struct pm_page_history *history);

/**
 * All runs in a span come next; what was there in it is forgotten, what is before it stays as it
 * was.
 * @return 0 or -1
 */
int pm_page_history_span(struct pm_page_history *history, uint64_t start, uint64_t end,
                         struct pm_error *error);

/**
 * Adds a run of the span.
 * @return 0 or -1
 */
int pm_page_history_run(struct pm_page_history *history, const struct pm_page_run *run,
                        struct pm_error *error);

/**
 * Ends the look: only what lies in regions counts, with the index of its region.
 * @return 0 or -1
 */
int pm_page_history_end(struct pm_page_history *history, const struct pm_regions *regions,
                        struct pm_error *error);

/**
 * Cuts what appeared at the last look anew, after the list of regions was read again without a look
 * at pages.
 * @return 0 or -1
 */
int pm_page_history_fit(struct pm_page_history *history, const struct pm_regions *regions,
                        struct pm_error *error);

/**
 * Releases it.
 * @param history empty afterwards
 */
void pm_page_history_deinit(struct pm_page_history *history);

#endif
