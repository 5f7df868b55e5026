/* SPDX-License-Identifier: MIT */
/** @file Matches regions of two samples whose addresses do not overlap. Private. */
#ifndef PM_GROWTH_IDENTITY_H
#define PM_GROWTH_IDENTITY_H

#include "growth/sets.h"

/**
 * Unites all heaps of each arena. Of the unmatched regions, unites pairs of stacks of the same
 * thread, pairs of mappings of the same file at the same offset, and pairs that are the same block
 * of malloc before and after a move.
 *
 * @param sets  the regions of both samples
 * @return      0, or -1 when out of memory
 */
int pm_identity_match(struct pm_sets *sets);

/**
 * Unites pairs of unmatched regions that are the same anonymous memory before and after a move.
 *
 * @param sets  the regions of both samples
 * @return      0, or -1 when out of memory
 */
int pm_identity_match_moves(struct pm_sets *sets);

#endif
