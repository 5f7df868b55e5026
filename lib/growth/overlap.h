/* SPDX-License-Identifier: MIT */
/** @file FILL overlap.c */
#ifndef PM_GROWTH_OVERLAP_H
#define PM_GROWTH_OVERLAP_H

#include "growth/sets.h"

/** Links regions that share addresses and have the same backing and kind. */
void pm_match_overlap(struct pm_sets *sets);

/** Links what is left by addresses, whatever its kind is now. */
void pm_match_rest(struct pm_sets *sets);

/** Links what is left and stands where it stood, whatever its kind is now. */
void pm_match_standing(struct pm_sets *sets);

#endif
