/* SPDX-License-Identifier: MIT */
/** @file Which new regions look alike. Private. */
#ifndef PM_GROWTH_SIMILARITY_H
#define PM_GROWTH_SIMILARITY_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/region.h>

/**
 * A number that alike regions have in common; others have it by chance only.
 * @param region the region
 */
uint64_t pm_similarity_key(const struct pm_region *region);

/** The same for regions that are of one sort, whatever their names. */
uint64_t pm_similarity_sort(const struct pm_region *region);

#endif
