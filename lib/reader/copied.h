/* SPDX-License-Identifier: MIT */
/** @file The content of a copy of memory, and a reader for it. Private. */
#ifndef PM_READER_COPIED_H
#define PM_READER_COPIED_H

#include <procmem/read_plan.h>
#include <procmem/reader.h>
#include <procmem/region.h>

#include "reader/copy_buffer.h"

/** What was copied. */
struct pm_copied {
	struct pm_regions regions;    /**< all regions at the moment of the copy */
	struct pm_copy_buffer buffer; /**< the bytes */
	struct pm_range_list ranges;  /**< the pages that were copied */
	struct pm_range_list zeros;   /**< holes of a core file: their bytes are zeros */
	bool holes; /**< whether private anonymous memory that was not copied consists of zeros.
	               False for a core file, which may lack memory */
};

/**
 * Returns whether the present pages of a region are copied: see <procmem/copy.h>. The permissions
 * of a region of a core file may not be known: then the region counts as having them.
 */
bool pm_region_is_copied(const struct pm_region *region);

/** As pm_copy_reader(). */
struct pm_reader pm_copied_reader(struct pm_copied *copied);

/** As pm_copy_source(). */
struct pm_page_source pm_copied_source(struct pm_copied *copied);

#endif
