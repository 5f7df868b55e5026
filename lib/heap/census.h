/* SPDX-License-Identifier: MIT */
/** @file What other files of this layer need of a census. Private. */
#ifndef PM_HEAP_CENSUS_H
#define PM_HEAP_CENSUS_H

#include <procmem/census.h>

/**
 * Counts a chunk whose type is known. The filter is not used.
 * @return 0, or -1 with PM_ERROR_RESOURCES
 */
int pm_census_add_item(struct pm_census *census, const struct pm_chunk_item *item,
                       struct pm_error *error);

/**
 * Finds the class of a size and type, also after pm_census_sort(). The keys of the census are size
 * and type.
 * @return the class, or NULL
 */
const struct pm_census_class *pm_census_find(struct pm_census *census, uint64_t size,
                                             const struct pm_chunk_type *type);

/**
 * Multiplies the counts and bytes of each class, and of all chunks. The size is a key of the
 * census.
 *
 * @param scale    returns the factor of a size
 * @param context  passed to `scale`
 */
void pm_census_scale(struct pm_census *census, double (*scale)(void *context, uint64_t size),
                     void *context);

#endif
