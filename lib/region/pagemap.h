/* SPDX-License-Identifier: MIT */
/** @file FILL pagemap.c */
#ifndef PM_REGION_PAGEMAP_H
#define PM_REGION_PAGEMAP_H

#include "region/pagemap_handle.h"

/**
 * As pm_pagemap_walk().
 *
 * @param files  whether PM_PAGE_FILE must be told. For that the kernel has to look at the structure
 * of each page, where its table would do (pagemap_page_category() in fs/proc/task_mmu.c): 11 ms for
 * a filled GiB, and 3.4 ms without
 */
int pm_pagemap_walk_states(struct pm_pagemap *pagemap, uint64_t start, uint64_t end, bool files,
                           pm_page_visitor *visit, void *context, struct pm_error *error);

#endif
