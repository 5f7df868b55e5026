/* SPDX-License-Identifier: MIT */
/** @file FILL pagemap_measure.c */
#ifndef PM_REGION_PAGEMAP_MEASURE_H
#define PM_REGION_PAGEMAP_MEASURE_H

#include "region/pagemap_handle.h"

/**
 * As pm_pagemap_measure(), of some regions.
 *
 * @param chosen    for each region whether it is measured; NULL: all are
 * @param observer  told of each run, NULL for nobody
 */
int pm_pagemap_measure_chosen(struct pm_pagemap *pagemap, struct pm_regions *regions,
                              const bool *chosen, const struct pm_page_observer *observer,
                              bool *exact, struct pm_error *error);

#endif
