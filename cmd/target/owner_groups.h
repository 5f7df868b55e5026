/* SPDX-License-Identifier: MIT */
/** @file The memory of each owner in selected regions, and what it consists of. For group.c. */
#ifndef CMD_TARGET_OWNER_GROUPS_H
#define CMD_TARGET_OWNER_GROUPS_H

#include "target/owner_parts.h"
#include "target/owner_source.h"

/** The memory of each owner. Zeroed before the first region. */
struct owner_groups {
	struct pm_owner_sums sums;                /**< the sums */
	struct owner_parts parts[PM_OWNER_COUNT]; /**< what they consist of, by owner */
};

/**
 * Adds a region to the memory of its owners.
 *
 * @param groups    the memory
 * @param division  how to divide a region with several owners
 * @param region    the region
 * @param error     as for pm_owner_sums_add()
 * @return          0 or -1
 */
int owner_groups_add(struct owner_groups *groups, const struct pm_owner_sums_source *division,
                     const struct pm_region *region, struct pm_error *error);

/**
 * Releases what owner_groups_add() has made.
 * @param groups  the memory; zeroed afterwards
 */
void owner_groups_deinit(struct owner_groups *groups);

#endif
