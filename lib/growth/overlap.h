/* SPDX-License-Identifier: MIT */
/** @file Matches regions of two samples whose addresses overlap. Private. */
#ifndef PM_GROWTH_OVERLAP_H
#define PM_GROWTH_OVERLAP_H

#include "growth/sets.h"

/**
 * Unites regions that overlap and have the same backing and kind: first those with the same
 * permissions, then those of which at least one is still unmatched.
 * @param sets the regions of both samples
 */
void pm_overlap_match(struct pm_sets *sets);

/**
 * Unites unmatched regions that have the same addresses, backing and permissions. Kinds are
 * ignored.
 * @param sets the regions of both samples
 */
void pm_overlap_match_in_place(struct pm_sets *sets);

/**
 * Unites regions that overlap and have the same backing, whatever their kinds: pairs with different
 * permissions, if at least one of the two is unmatched, and then all pairs of unmatched regions.
 * @param sets the regions of both samples
 */
void pm_overlap_match_rest(struct pm_sets *sets);

#endif
