/* SPDX-License-Identifier: MIT */
/** @file FILL file.c */
#ifndef CMD_DUMP_FILE_H
#define CMD_DUMP_FILE_H

#include "dump/dump.h"

/**
 * Writes the bytes, or a core file, to the file of the options, and FILE.map.
 *
 * @param dump    the dump
 * @param result  filled
 * @param error   any
 * @return        0 or -1
 */
int dump_file_write(struct dump *dump, struct pm_dump_result *result, struct pm_error *error);

#endif
