/* SPDX-License-Identifier: MIT */
/** @file FILL print.c */
#ifndef CMD_DIFF_PRINT_H
#define CMD_DIFF_PRINT_H

#include "diff/diff.h"

/**
 * Prints it as a table.
 * @param diff it
 * @param out where to
 */
void diff_print(const struct diff *diff, struct out *out);

/**
 * Prints it as JSON.
 * @param diff it
 * @param out where to
 */
void diff_print_json(const struct diff *diff, struct out *out);

#endif
