/* SPDX-License-Identifier: MIT */
/** @file The text of `pmap -x`. */
#ifndef CMD_MAP_PMAP_FORMAT_H
#define CMD_MAP_PMAP_FORMAT_H

#include "map/map.h"

/**
 * Prints the text of `pmap -x`.
 *
 * @param loaded  the target
 * @param list    the selected regions, by address
 * @param header  whether to print the heading and the totals
 * @param out     where to write
 */
void map_pmap_format_print(const struct loaded *loaded, const struct list *list, bool header,
                           struct out *out);

#endif
