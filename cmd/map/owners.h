/* SPDX-License-Identifier: MIT */
/** @file The sums by owner of `procmem map --by owner`. */
#ifndef CMD_MAP_OWNERS_H
#define CMD_MAP_OWNERS_H

#include "map/map.h"

/**
 * Adds the selected regions to groups. With GROUP_BY_OWNER, regions with several owners are
 * divided, and the objects of CPython are counted by type.
 *
 * @param groups  the groups
 * @param loaded  the target
 * @param list    the selected regions
 * @param by      what the regions of each group have in common
 * @param error   as for group_fill()
 * @return        0 or -1
 */
int map_owners_fill(struct groups *groups, const struct loaded *loaded, const struct list *list,
                    enum group_by by, struct pm_error *error);

/**
 * Prints the lines above the table: the sums by owner as an equation, and the runtimes.
 *
 * @param loaded  the target
 * @param groups  groups by owner, filled
 * @param all     all regions are selected
 * @param bytes   print exact sizes
 * @param out     where to print
 * @return        number of terminal lines that were printed
 */
size_t map_owners_print(const struct loaded *loaded, const struct groups *groups, bool all,
                        bool bytes, struct out *out);

#endif
