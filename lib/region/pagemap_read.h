/* SPDX-License-Identifier: MIT */
/** @file Page states by reading /proc/PID/pagemap. Private. */
#ifndef PM_REGION_PAGEMAP_READ_H
#define PM_REGION_PAGEMAP_READ_H

#include "region/pagemap.h"

/**
 * Fetches the page states of a range. If the range has too many pages or runs for one call, fetches
 * only those of its first part.
 *
 * @param pagemap  the pagemap; receives the runs in `runs`
 * @param start    first address, page aligned
 * @param end      address after the last byte, page aligned
 * @param batch    receives the number of runs, and the address at which the next call must start
 * @return         0, or -1 with errno set
 */
int pm_pagemap_read_batch(struct pm_pagemap *pagemap, uint64_t start, uint64_t end,
                          struct pm_page_batch *batch);

#endif
