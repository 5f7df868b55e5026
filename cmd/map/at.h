/* SPDX-License-Identifier: MIT */
/** @file FILL at.c */
#ifndef CMD_MAP_AT_H
#define CMD_MAP_AT_H

#include "map/map.h"

/**
 * Prints what is at an address.
 *
 * @param loaded   what was read
 * @param address  an address within one of its regions
 * @param options  JSON or text, bytes
 * @param out      where to
 * @param error    PM_ERROR_GONE
 * @return         0 or -1
 */
int map_at_print(const struct loaded *loaded, uint64_t address, const struct map_options *options,
                 struct out *out, struct pm_error *error);

#endif
