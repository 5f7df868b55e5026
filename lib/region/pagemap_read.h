/* SPDX-License-Identifier: MIT */
/** @file FILL pagemap_read.c */
#ifndef PM_REGION_PAGEMAP_READ_H
#define PM_REGION_PAGEMAP_READ_H

#include "region/pagemap.h"

/**
 * Looks at the begin of [start, end) by reading.
 * @return 0, or -1 with errno set
 */
int pm_pagemap_read_batch(struct pm_pagemap *pagemap, uint64_t start, uint64_t end,
                          struct pm_page_batch *batch);

#endif
