/* SPDX-License-Identifier: MIT */
/** @file The columns of a list of groups of processes. */
#ifndef CMD_PS_GROUP_COLUMNS_H
#define CMD_PS_GROUP_COLUMNS_H

#include "ps/groups.h"
#include "view/list.h"

/**
 * Returns the description of lists of groups.
 *
 * @param by           what the processes of a group have in common; not PS_BY_NOTHING
 * @param with_for     whether rates are known
 * @param with_unread  whether processes could not be read
 * @return             the description, a constant
 */
const struct list_spec *ps_group_columns_spec(enum ps_by by, bool with_for, bool with_unread);

#endif
