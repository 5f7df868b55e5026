/* SPDX-License-Identifier: MIT */
/**
 * @file What a new list of regions inherits from the previous one, and which of its regions have to
 * be measured. Private.
 */
#ifndef PM_SAMPLE_INHERIT_H
#define PM_SAMPLE_INHERIT_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/pagemap.h>
#include <procmem/region.h>
#include <procmem/sample.h>

#include "region/pagemap.h"

/** Classes of regions that can have changed. */
struct pm_suspects {
	bool all;     /**< all regions */
	bool private; /**< regions with private pages */
	bool file;    /**< regions backed by a file or shared memory */
};

/**
 * Finds the classes of regions that explain a change of the totals.
 *
 * @param was  totals before
 * @param is   totals now
 * @return     the suspects
 */
struct pm_suspects pm_suspects_find(const struct pm_totals *was, const struct pm_totals *is);

/**
 * Copies sizes and kinds from the previous list. A region with the same addresses inherits both,
 * sizes only if it has none; a region that overlaps one of the same backing inherits its kind.
 *
 * @param before   the previous list
 * @param regions  the new list; strings are copied into it
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_inherit(const struct pm_regions *before, struct pm_regions *regions, struct pm_error *error);

/**
 * Measures the suspects, and the regions without sizes.
 *
 * @param pagemap   the pagemap of the process
 * @param suspects  classes of regions to be measured
 * @param regions   the list; sizes are filled
 * @param observer  receives each run of pages; NULL for none
 * @param exact     set to false if sizes may differ from smaps, otherwise unchanged
 * @param error     as pm_pagemap_measure()
 * @return          0 or -1
 */
int pm_suspects_measure(struct pm_pagemap *pagemap, struct pm_suspects suspects,
                        struct pm_regions *regions, const struct pm_page_observer *observer,
                        bool *exact, struct pm_error *error);

#endif
