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

/** Classes of regions that may have changed and have to be measured. */
struct pm_suspects {
	bool all;     /**< all regions */
	bool private; /**< regions with private pages */
	bool file;    /**< regions backed by a file or shared memory */
};

/**
 * Determines which classes of regions may have changed, from a change of the totals.
 *
 * @param was  totals before
 * @param is   totals now
 * @return     the suspects
 */
struct pm_suspects pm_suspects_find(const struct pm_totals *was, const struct pm_totals *is);

/**
 * Copies sizes and kinds from the previous list. A region with the same addresses inherits its kind
 * and, unless its sizes are already known, its sizes. Any other region inherits the kind of the
 * first region of the previous list that it overlaps and that has the same backing.
 *
 * @param before   the previous list
 * @param regions  the new list; strings are copied into it
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
 * @param observer  called for each run of pages; NULL for none
 * @param exact     set to false if sizes may differ from smaps, otherwise unchanged
 * @param error     as pm_pagemap_measure()
 * @return          0 or -1
 */
int pm_suspects_measure(struct pm_pagemap *pagemap, struct pm_suspects suspects,
                        struct pm_regions *regions, const struct pm_page_observer *observer,
                        bool *exact, struct pm_error *error);

#endif
