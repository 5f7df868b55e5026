/* SPDX-License-Identifier: MIT */
/**
 * @file The columns of a list of regions, and the data that each needs. The items are `struct
 * pm_region`.
 */
#ifndef CMD_TARGET_REGION_COLUMNS_H
#define CMD_TARGET_REGION_COLUMNS_H

#include <procmem/region.h>

#include "view/list.h"

/** Data that must be read from the target; or-ed together. */
enum region_needs {
	REGION_NEEDS_RSS = 1,   /**< resident pages: from pagemap or smaps */
	REGION_NEEDS_SMAPS = 2, /**< sizes that only smaps has */
	REGION_NEEDS_KINDS = 4, /**< the kinds of regions */
};

/** Lists of regions. */
extern const struct list_spec region_columns_spec;

/** Lists of regions if only maps text is available: without columns that it cannot fill. */
extern const struct list_spec region_columns_maps_only;

/** Lists of regions of a recording by `watch`, which has two sizes only. */
extern const struct list_spec region_columns_recorded;

#endif
