/* SPDX-License-Identifier: MIT */
/** @file Which bytes of the target can be read without side effects, for the window. Private. */
#ifndef PM_HEAP_PRESENCE_H
#define PM_HEAP_PRESENCE_H

#include <procmem/heap.h>

/** What the bytes at an address are. */
enum pm_presence_state {
	PM_PRESENCE_NONE = 0, /**< not mapped, a device or a guard page, or not in the core file */
	PM_PRESENCE_ZEROS,    /**< never touched: zeros that need not be read */
	PM_PRESENCE_PAGES,    /**< in memory or in swap */
};

/** Maximum number of runs of pages that are kept. */
enum { PM_PRESENCE_RUNS = 1024 };

/** Page states. Initialise with pm_heap_presence_init(). */
struct pm_heap_presence {
	const struct pm_heap_source *source; /**< where to read */
	uint64_t page_mask;                  /**< page size - 1 */
	const struct pm_region *region;      /**< region of the last call, or NULL */
	struct pm_range known;               /**< the page states of these addresses are known */
	size_t count;                        /**< number of runs */
	struct pm_page_run runs[PM_PRESENCE_RUNS]; /**< the runs of pages in `known` */
};

/**
 * Initialises the page states.
 * @param source  where to read; must outlive the structure
 */
void pm_heap_presence_init(struct pm_heap_presence *presence, const struct pm_heap_source *source);

/** Forgets the page states, so that the next call fetches them again. */
void pm_heap_presence_forget(struct pm_heap_presence *presence);

/**
 * Determines what the bytes from an address on are.
 *
 * @param address  the address
 * @param ahead    number of bytes for which page states are fetched if they are not known; at least
 *                 one page
 * @param until    receives the end of the bytes of this state, greater than `address`; the next
 *                 bytes may have the same state
 * @param error    errors of pm_page_source.walk: PM_ERROR_GONE, PM_ERROR_IO
 * @return         enum pm_presence_state, or -1
 */
int pm_heap_presence_at(struct pm_heap_presence *presence, uint64_t address, uint64_t ahead,
                        uint64_t *until, struct pm_error *error);

/**
 * Determines what a page of a running process is if no region contains it: the process can have
 * mapped the page after the regions were read.
 *
 * @param address  an address in the page
 * @param error    as for pm_heap_presence_at()
 * @return         PM_PRESENCE_PAGES, or PM_PRESENCE_NONE if the page is not in memory; -1
 */
int pm_heap_presence_beyond(struct pm_heap_presence *presence, uint64_t address,
                            struct pm_error *error);

#endif
