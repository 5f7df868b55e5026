/* SPDX-License-Identifier: MIT */
/** @file Prints a dump as text. */
#ifndef CMD_DUMP_HEX_H
#define CMD_DUMP_HEX_H

#include "dump/source.h"

/**
 * Prints the bytes as text.
 *
 * @param dump    the dump
 * @param out     the output
 * @param result  receives the result
 * @param error   any
 * @return        0 or -1
 */
int dump_hex(struct dump *dump, struct out *out, struct pm_dump_result *result,
             struct pm_error *error);

#endif
