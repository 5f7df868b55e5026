/* SPDX-License-Identifier: MIT */
/** @file The regions at and around an address, for `procmem map TARGET ADDRESS`. */
#ifndef CMD_MAP_AT_H
#define CMD_MAP_AT_H

#include "map/map.h"

/**
 * Prints the region that contains an address, its neighbouring regions, and the state of the page
 * at that address.
 *
 * @param loaded   the target
 * @param address  an address in one of the regions of the target
 * @param options  whether to print JSON, and exact sizes
 * @param out      where to write
 * @param error    PM_ERROR_GONE
 * @return         0 or -1
 */
int map_at_print(const struct loaded *loaded, uint64_t address, const struct map_options *options,
                 struct out *out, struct pm_error *error);

#endif
