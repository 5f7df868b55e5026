/* SPDX-License-Identifier: MIT */
/** @file The index of a dump, FILE.map. */
#ifndef CMD_DUMP_MAP_H
#define CMD_DUMP_MAP_H

#include "dump/dump.h"

/**
 * Writes the index of a dump: the offset of each range in the file.
 * @param dump  the dump
 * @param out   the output
 */
void dump_map_write(const struct dump *dump, struct out *out);

#endif
