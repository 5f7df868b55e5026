/* SPDX-License-Identifier: MIT */
/** @file Opens what is needed to divide the regions of a target between their owners. */
#ifndef CMD_TARGET_OWNER_SOURCE_H
#define CMD_TARGET_OWNER_SOURCE_H

#include <procmem/owner_sums.h>

#include "target/regions_load.h"

/** How to divide regions. The struct must not be copied or moved while it is open. */
struct owner_source {
	struct pm_owner_sums_source division; /**< for pm_owner_sums_add() */
	/** Sums that a recording has for all regions; NULL if there are none. Not owned. */
	const struct pm_owner_sums *recorded;
	struct pm_page_source pages; /**< page states; used if `division.pages` is not NULL */
	struct pm_pagemap *pagemap;  /**< page states of a process; NULL if they are not used */
};

/**
 * Opens the page states of a target. Without them, sizes of regions with several owners are
 * approximate.
 *
 * @param source  filled; release with owner_source_close()
 * @param loaded  the target, with kinds; must outlive the source
 * @param cancel  cancellation flag; may be NULL
 */
void owner_source_open(struct owner_source *source, const struct loaded *loaded,
                       const volatile sig_atomic_t *cancel);

/**
 * Closes the page states.
 * @param source  an open or zeroed source
 */
void owner_source_close(struct owner_source *source);

#endif
