/* SPDX-License-Identifier: MIT */
/** @file FILL map.c */
#ifndef CMD_DUMP_MAP_H
#define CMD_DUMP_MAP_H

#include "dump/dump.h"

/**
 * Text of FILE.map: where each range stands in the file.
 * @param dump the dump
 * @param out where to
 */
void dump_map_write(const struct dump *dump, struct out *out);

#endif
