/* SPDX-License-Identifier: MIT */
/**
 * @file The columns of a list of regions, and the data that each column needs. The items of the
 * list are `struct pm_region`.
 */
#ifndef CMD_TARGET_REGION_COLUMNS_H
#define CMD_TARGET_REGION_COLUMNS_H

#include <procmem/region.h>

#include "view/list.h"

/** Data that must be read from the target. The values are bits that can be combined. */
enum region_needs {
	REGION_NEEDS_RSS = 1,   /**< resident pages: from pagemap or smaps */
	REGION_NEEDS_SMAPS = 2, /**< sizes that only smaps has */
	REGION_NEEDS_KINDS = 4, /**< the kinds of regions */
};

/** Description of lists of regions. */
extern const struct list_spec region_columns_spec;

/**
 * Description of lists of regions of a saved maps file. The default columns are only those whose
 * values a maps file contains.
 */
extern const struct list_spec region_columns_maps_only;

/**
 * Description of lists of regions of a recording made by `watch`, which contains only two sizes,
 * RSS and swap.
 */
extern const struct list_spec region_columns_recorded;

#endif
