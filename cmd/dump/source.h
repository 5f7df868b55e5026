/* SPDX-License-Identifier: MIT */
/** @file FILL source.c */
#ifndef CMD_DUMP_SOURCE_H
#define CMD_DUMP_SOURCE_H

#include "dump/dump.h"

/**
 * What the library is to copy, with lacks and progress noted.
 * @param dump the dump, to which it refers
 * @return the source
 */
struct pm_dump_source dump_source(struct dump *dump);

/**
 * Opens a target for dumping, and stops it if that is wanted.
 *
 * @param dump   filled; the options and `memory.cancel` are set already; release with
 * memory_close(), also after a failure
 * @param words  TARGET and REGIONs
 * @param count  how many
 * @param error  any
 * @return       as memory_open()
 */
int dump_source_open(struct dump *dump, char *const *words, int count, struct pm_error *error);

#endif
