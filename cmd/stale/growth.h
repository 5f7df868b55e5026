/* SPDX-License-Identifier: MIT */
/** @file Finds memory that grows and whose older part is not touched. */
#ifndef CMD_STALE_GROWTH_H
#define CMD_STALE_GROWTH_H

#include <procmem/stale.h>

/** Maximum number of findings that are reported. */
enum { STALE_GROWTH_MAX = 3 };

/** Memory that grows and whose older part is not touched: a region, or all regions of a kind. */
struct stale_growth {
	const struct pm_stale_region *region; /**< the region; NULL if it is a kind */
	enum pm_kind kind;                    /**< the kind */
	const struct pm_stale_sizes *sizes;   /**< sizes of the region or of the kind */
};

/**
 * Finds the memory that grows most and whose older part is not touched. If most of the growth of a
 * kind is that of one region, the region is found instead of the kind. Mapped files are not found.
 *
 * @param result  the results
 * @param found   receives the findings, the largest growth first
 * @return        number of findings
 */
size_t stale_growth_find(const struct pm_stale_result *result,
                         struct stale_growth found[STALE_GROWTH_MAX]);

#endif
