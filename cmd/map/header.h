/* SPDX-License-Identifier: MIT */
/** @file The line above the table of `procmem map`. */
#ifndef CMD_MAP_HEADER_H
#define CMD_MAP_HEADER_H

#include "map/map.h"

/**
 * Prints a line about the process: name, command, threads, age, memory and memory limit.
 *
 * @param loaded  the target
 * @param bytes   print sizes as exact integers
 * @param out     where to write
 * @return        number of terminal lines that were printed
 */
size_t map_header_print(const struct loaded *loaded, bool bytes, struct out *out);

#endif
