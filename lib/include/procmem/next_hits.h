/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads numbers again that an earlier search has found (<procmem/saved_hits.h>).
 *
 * The hits are read in batches, so the memory that is needed does not depend on their number. Only
 * pages that are in memory or in swap are read from the process: it does not grow.
 */
#ifndef PROCMEM_NEXT_HITS_H
#define PROCMEM_NEXT_HITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/read_plan.h>
#include <procmem/saved_hits.h>
#include <procmem/unit_read.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What was read at the address of a hit. */
enum pm_next_state {
	PM_NEXT_READ,       /**< the number */
	PM_NEXT_UNMAPPED,   /**< nothing: the memory was unmapped since the hit was found */
	PM_NEXT_UNREADABLE, /**< nothing: the memory cannot be read, or is not in the process */
};

/** A hit that was read again. Valid only during the call of the visitor. */
struct pm_next_hit {
	const struct pm_saved_hit *saved;  /**< the hit as it is in the file */
	const struct pm_number_test *test; /**< its type */
	enum pm_next_state state;          /**< whether `now` is valid */
	uint8_t now[PM_NUMBER_SIZE_MAX];   /**< the number as it is now; zeros follow it */
	size_t region; /**< index of the region of its first byte; not valid if unmapped */
};

/**
 * Called for each hit of the file, by ascending address.
 *
 * @param context  the context of pm_next_hits
 * @param hit      the hit
 * @param error    describes the failure; filled by the function if it returns -1
 * @return         0 to continue; 1 to end, which then succeeds; -1 on failure
 */
typedef int pm_next_visitor(void *context, const struct pm_next_hit *hit, struct pm_error *error);

/** What to read, and from where. */
struct pm_next_hits {
	struct pm_saved_hits *saved;      /**< the hits, read to their end */
	const struct pm_regions *regions; /**< the regions of the process now */
	struct pm_plan_options plan;      /**< the source of the page states */
	struct pm_unit_source source;     /**< the readers */
	pm_next_visitor *visit;           /**< called for each hit */
	void *context;                    /**< passed to `visit` */
};

/**
 * Reads all hits of a file again.
 *
 * @param next   the parameters
 * @param error  PM_ERROR_GONE, PM_ERROR_CANCELLED, PM_ERROR_RESOURCES, those of
 *               pm_saved_hits_next() and of the visitor
 * @return       0 or -1
 */
PM_PUBLIC int pm_next_hits_read(const struct pm_next_hits *next, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
