/* SPDX-License-Identifier: MIT */
/** @file Prints the rows of `procmem diff`. */
#ifndef CMD_DIFF_PRINT_H
#define CMD_DIFF_PRINT_H

#include "base/out.h"
#include "diff/chunks.h"
#include "diff/rows.h"

/**
 * Prints a difference as a table.
 *
 * @param diff  the difference
 * @param out   the output
 */
void diff_print(const struct diff_rows *diff, struct out *out);

/**
 * Prints a difference as a JSON object.
 *
 * @param diff    the difference
 * @param chunks  the difference of the chunks of malloc
 * @param out     the output
 */
void diff_print_json(const struct diff_rows *diff, const struct diff_chunks *chunks,
                     struct out *out);

#endif
