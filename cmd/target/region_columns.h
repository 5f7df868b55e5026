/* SPDX-License-Identifier: MIT */
/**
 * @file The columns that a list of regions can have, and what each of them costs. The items are
 * `struct pm_region`.
 */
#ifndef CMD_TARGET_REGION_COLUMNS_H
#define CMD_TARGET_REGION_COLUMNS_H

#include <procmem/region.h>

#include "view/list.h"

/** What must be read of the target; or-ed together. */
enum region_needs {
	REGION_NEEDS_RSS = 1,   /**< which pages are there: pagemap will do, smaps has it too */
	REGION_NEEDS_SMAPS = 2, /**< figures that only smaps has */
	REGION_NEEDS_KINDS = 4, /**< what the regions are for */
};

/** Lists of regions. */
extern const struct list_spec region_columns_spec;

/** The same where only maps text is there: without the columns that it cannot fill. */
extern const struct list_spec region_columns_maps_only;

/** The same for a recording by `watch`, which has two sizes only. */
extern const struct list_spec region_columns_recorded;

/**
 * Adds the name of a region's mapping as the kernel has it, " (deleted)" included.
 *
 * @param region  the region
 * @param brief   files without their directories
 * @param text    gets it
 */
void region_columns_mapping(const struct pm_region *region, bool brief, struct text *text);

#endif
