/* SPDX-License-Identifier: MIT */
/**
 * @file Copies sizes and kinds from the previous list of regions to a new one, and measures the
 * regions that may have changed. Private.
 */
#ifndef PM_SAMPLE_INHERIT_H
#define PM_SAMPLE_INHERIT_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/pagemap.h>
#include <procmem/region.h>
#include <procmem/sample.h>

#include "region/pagemap.h"

/** Classes of regions that may have changed, and therefore have to be measured. */
struct pm_suspects {
	bool all;     /**< all regions */
	bool private; /**< regions with private pages */
	bool file;    /**< regions backed by a file or shared memory */
};

/**
 * Determines, from the change of the totals, which classes of regions may have changed.
 *
 * @param was  totals before
 * @param is   totals now
 * @return     the classes; none if neither resident nor swapped bytes changed
 */
struct pm_suspects pm_suspects_find(const struct pm_totals *was, const struct pm_totals *is);

/**
 * Copies kinds and sizes from the previous list. A region inherits the kind of the first region of
 * the previous list that overlaps it and has the same backing (file, name and permissions). If that
 * region has the same addresses and file offset, and the sizes in the new list are not known yet,
 * it also inherits the sizes.
 *
 * @param before   the previous list
 * @param regions  the new list; it receives copies of the strings
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_inherit(const struct pm_regions *before, struct pm_regions *regions, struct pm_error *error);

/**
 * Measures the regions of the given classes, and all regions whose sizes are not known.
 *
 * @param pagemap   the pagemap of the process
 * @param suspects  classes of regions to be measured
 * @param regions   the list; sizes are filled
 * @param observer  called for each run of pages; may be NULL
 * @param exact     set to false if sizes may differ from smaps, otherwise unchanged
 * @param error     as pm_pagemap_measure()
 * @return          0 or -1
 */
int pm_suspects_measure(struct pm_pagemap *pagemap, struct pm_suspects suspects,
                        struct pm_regions *regions, const struct pm_page_observer *observer,
                        bool *exact, struct pm_error *error);

#endif
