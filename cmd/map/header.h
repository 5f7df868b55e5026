/* SPDX-License-Identifier: MIT */
/** @file FILL header.c */
#ifndef CMD_MAP_HEADER_H
#define CMD_MAP_HEADER_H

#include "map/map.h"

/**
 * Prints the line about the process: name, command, threads, age, memory and its limit.
 *
 * @param loaded  what was read
 * @param bytes   sizes are exact integers
 * @param out     where to
 * @return        how many lines of the terminal it takes
 */
size_t map_header_print(const struct loaded *loaded, bool bytes, struct out *out);

#endif
