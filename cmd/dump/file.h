/* SPDX-License-Identifier: MIT */
/** @file Writes a dump to a file. */
#ifndef CMD_DUMP_FILE_H
#define CMD_DUMP_FILE_H

#include "dump/source.h"

/**
 * Writes the bytes or a core file to the file of the options, and if necessary the index FILE.map.
 *
 * @param dump    the dump
 * @param result  receives the result
 * @param error   any
 * @return        0 or -1
 */
int dump_file_write(struct dump *dump, struct pm_dump_result *result, struct pm_error *error);

#endif
