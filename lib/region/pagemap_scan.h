/* SPDX-License-Identifier: MIT */
/** @file Page states by the PAGEMAP_SCAN ioctl. Private. */
#ifndef PM_REGION_PAGEMAP_SCAN_H
#define PM_REGION_PAGEMAP_SCAN_H

#include "region/pagemap.h"

/**
 * Fetches the page states of a range, or of its first part if there are too many for one call.
 *
 * @param pagemap  the pagemap; its `runs` are filled
 * @param start    first address, page aligned
 * @param end      address after the last byte, page aligned
 * @param files    as for pm_pagemap_walk_states()
 * @param batch    receives the number of runs, and the address up to which they are complete
 * @return         0, or -1 with errno set
 */
int pm_pagemap_scan_batch(struct pm_pagemap *pagemap, uint64_t start, uint64_t end, bool files,
                          struct pm_page_batch *batch);

/**
 * Checks whether the kernel supports PAGEMAP_SCAN, and if so, whether it supports PAGE_IS_GUARD.
 * @param pagemap  the pagemap; `knows_guards` is set
 * @return         0, or -1 with errno set (ENOTTY: not supported)
 */
int pm_pagemap_scan_probe(struct pm_pagemap *pagemap);

#endif
