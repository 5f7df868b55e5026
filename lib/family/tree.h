/* SPDX-License-Identifier: MIT */
/** @file The descendants of the members of a family. Private. */
#ifndef PM_FAMILY_TREE_H
#define PM_FAMILY_TREE_H

#include "family/roster.h"

/**
 * Adds the children of all members, and of the members that are added.
 *
 * @param roster      the members
 * @param incomplete  becomes true if the list of processes cannot be read; otherwise unchanged
 * @param error       PM_ERROR_RESOURCES
 * @return            0 or -1
 */
int pm_tree_grow(struct pm_roster *roster, bool *incomplete, struct pm_error *error);

#endif
