/* SPDX-License-Identifier: MIT */
/** @file FILL identity.c */
#ifndef PM_GROWTH_IDENTITY_H
#define PM_GROWTH_IDENTITY_H

#include "growth/sets.h"

/**
 * Links the heaps of each arena, and what is left by thread, file and move of a block of malloc's.
 * @return 0, or -1 when out of memory
 */
int pm_match_identity(struct pm_sets *sets);

/**
 * Links what is left of anonymous memory by move.
 * @return 0, or -1 when out of memory
 */
int pm_match_moves(struct pm_sets *sets);

#endif
