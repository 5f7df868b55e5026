/* SPDX-License-Identifier: MIT */
/** @file The regions at and around an address, for `procmem map TARGET ADDRESS`. */
#ifndef CMD_MAP_AT_H
#define CMD_MAP_AT_H

#include "map/map.h"

/**
 * Prints the region of an address, its neighbours, and the state of its page.
 *
 * @param loaded   the target
 * @param address  an address in one of its regions
 * @param options  JSON or text, bytes
 * @param out      where to write
 * @param error    PM_ERROR_GONE
 * @return         0 or -1
 */
int map_at_print(const struct loaded *loaded, uint64_t address, const struct map_options *options,
                 struct out *out, struct pm_error *error);

#endif
