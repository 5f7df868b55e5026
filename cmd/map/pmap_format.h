/* SPDX-License-Identifier: MIT */
/** @file FILL pmap_format.c */
#ifndef CMD_MAP_PMAP_FORMAT_H
#define CMD_MAP_PMAP_FORMAT_H

#include "map/map.h"

/**
 * Prints what `pmap -x` prints.
 *
 * @param loaded  what was read
 * @param list    the chosen regions, by address
 * @param header  with its first and last lines
 * @param out     where to
 */
void map_pmap_format_print(const struct loaded *loaded, const struct list *list, bool header,
                           struct out *out);

#endif
