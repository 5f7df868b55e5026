/* SPDX-License-Identifier: MIT */
/** @file Matching regions that share no addresses. Private. */
#ifndef PM_GROWTH_IDENTITY_H
#define PM_GROWTH_IDENTITY_H

#include "growth/sets.h"

/**
 * Unites the heaps of each arena, and unmatched regions by thread, by file, and by move of a block
 * of malloc's.
 *
 * @param sets  the regions of both samples
 * @return      0, or -1 when out of memory
 */
int pm_identity_match(struct pm_sets *sets);

/**
 * Unites unmatched anonymous memory by move.
 *
 * @param sets  the regions of both samples
 * @return      0, or -1 when out of memory
 */
int pm_identity_match_moves(struct pm_sets *sets);

#endif
