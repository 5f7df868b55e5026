/* SPDX-License-Identifier: MIT */
/** @file Matching regions by addresses. Private. */
#ifndef PM_GROWTH_OVERLAP_H
#define PM_GROWTH_OVERLAP_H

#include "growth/sets.h"

/**
 * Unites regions that share addresses and have the same backing and kind.
 * @param sets the regions of both samples
 */
void pm_overlap_match(struct pm_sets *sets);

/**
 * Unites unmatched regions of the same addresses and permissions, whatever their kind.
 * @param sets the regions of both samples
 */
void pm_overlap_match_in_place(struct pm_sets *sets);

/**
 * Unites unmatched regions that share addresses, whatever their kind.
 * @param sets the regions of both samples
 */
void pm_overlap_match_rest(struct pm_sets *sets);

#endif
