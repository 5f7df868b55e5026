/* SPDX-License-Identifier: MIT */
/** @file Page states by the PAGEMAP_SCAN ioctl. Private. */
#ifndef PM_REGION_PAGEMAP_SCAN_H
#define PM_REGION_PAGEMAP_SCAN_H

#include "region/pagemap.h"

/**
 * Fetches the page states of a range. If the range has too many pages or runs for one call, fetches
 * only those of its first part.
 *
 * @param pagemap  the pagemap; receives the runs in `runs`
 * @param start    first address, page aligned
 * @param end      address after the last byte, page aligned
 * @param files    whether PM_PAGE_FILE is needed, as for pm_pagemap_walk_states()
 * @param batch    receives the number of runs, and the address at which the next call must start
 * @return         0, or -1 with errno set
 */
int pm_pagemap_scan_batch(struct pm_pagemap *pagemap, uint64_t start, uint64_t end, bool files,
                          struct pm_page_batch *batch);

/**
 * Checks whether the kernel supports PAGEMAP_SCAN, and if so, whether it supports PAGE_IS_GUARD.
 * @param pagemap  the pagemap; receives in `knows_guards` whether PAGE_IS_GUARD is supported
 * @return         0, or -1 with errno set (ENOTTY: not supported)
 */
int pm_pagemap_scan_probe(struct pm_pagemap *pagemap);

#endif
