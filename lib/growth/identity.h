/* SPDX-License-Identifier: MIT */
/** @file Matches regions of two samples whose addresses do not overlap. Private. */
#ifndef PM_GROWTH_IDENTITY_H
#define PM_GROWTH_IDENTITY_H

#include "growth/sets.h"

/**
 * Unites the heaps of each arena, and unmatched regions with the same thread or the same file, and
 * blocks of malloc that were moved.
 *
 * @param sets  the regions of both samples
 * @return      0, or -1 when out of memory
 */
int pm_identity_match(struct pm_sets *sets);

/**
 * Unites unmatched regions of anonymous memory that were moved.
 *
 * @param sets  the regions of both samples
 * @return      0, or -1 when out of memory
 */
int pm_identity_match_moves(struct pm_sets *sets);

#endif
