/* SPDX-License-Identifier: MIT */
/** @file Prints the rows of `procmem diff`. */
#ifndef CMD_DIFF_PRINT_H
#define CMD_DIFF_PRINT_H

#include "base/out.h"
#include "diff/chunks.h"
#include "diff/rows.h"
#include "diff/sites.h"

/**
 * Prints a difference as a table; with DIFF_BY_SITE, only what is compared.
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
 * @param sites   the difference of the call sites
 * @param out     the output
 */
void diff_print_json(const struct diff_rows *diff, const struct diff_chunks *chunks,
                     const struct diff_sites *sites, struct out *out);

/**
 * Prints the rows as comma-separated values.
 *
 * @param diff  the rows, not of DIFF_BY_SITE
 * @param out   where to print
 */
void diff_print_csv(const struct diff_rows *diff, struct out *out);

#endif
