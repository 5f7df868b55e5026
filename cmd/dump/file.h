/* SPDX-License-Identifier: MIT */
/** @file Writes a dump to a file. */
#ifndef CMD_DUMP_FILE_H
#define CMD_DUMP_FILE_H

#include "dump/source.h"

/**
 * Writes the bytes, or with --core a core file, to options->file. Also writes the index FILE.map if
 * it is needed.
 *
 * @param dump    the dump
 * @param result  receives the result
 * @param error   any
 * @return        0 or -1
 */
int dump_file_write(struct dump *dump, struct pm_dump_result *result, struct pm_error *error);

#endif
