/* SPDX-License-Identifier: MIT */
/** @file FILL pagemap_scan.c */
#ifndef PM_REGION_PAGEMAP_SCAN_H
#define PM_REGION_PAGEMAP_SCAN_H

#include "region/pagemap.h"

/**
 * Looks at the begin of [start, end) by the ioctl.
 * @param files as pm_pagemap_walk_states()
 * @return 0, or -1 with errno set
 */
int pm_pagemap_scan_batch(struct pm_pagemap *pagemap, uint64_t start, uint64_t end, bool files,
                          struct pm_page_batch *batch);

/**
 * Finds out whether the kernel has the ioctl, and which states it knows.
 * @return 0, or -1 with errno set (ENOTTY: it has not)
 */
int pm_pagemap_scan_probe(struct pm_pagemap *pagemap);

#endif
