/* SPDX-License-Identifier: MIT */
/** @file The names of the rows of `procmem diff`. */
#ifndef CMD_DIFF_NAMES_H
#define CMD_DIFF_NAMES_H

#include "base/text.h"
#include "diff/rows.h"

/**
 * Adds the name of the mapping, the pattern of several names, or what else is known of the region.
 *
 * @param row   the row
 * @param text  receives the name, which can have any bytes
 */
void diff_names_put_mapping(const struct diff_row *row, struct text *text);

/**
 * Adds the range of addresses, and the number of further regions: "7f00-7f10 +2".
 *
 * @param row   the row
 * @param text  receives the addresses
 */
void diff_names_put_address(const struct diff_row *row, struct text *text);

#endif
