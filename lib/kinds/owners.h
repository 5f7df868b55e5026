/* SPDX-License-Identifier: MIT */
/** @file Owners of regions, by runtimes and kinds. Private. */
#ifndef PM_KINDS_OWNERS_H
#define PM_KINDS_OWNERS_H

#include "kinds/rule.h"

/**
 * Returns the owner that follows from kind and detail of a region, without runtimes.
 * @param region  a region whose kind is known
 * @return        PM_OWNER_UNKNOWN if nothing follows
 */
enum pm_owner pm_kinds_owner_by_kind(const struct pm_region *region);

/**
 * Sets the owners of all regions: the ranges of runtimes first, then the kinds.
 *
 * @param regions   the regions, with kinds
 * @param runtimes  the runtimes; NULL if they are not known
 */
void pm_kinds_assign_owners(struct pm_regions *regions, const struct pm_runtimes *runtimes);

#endif
