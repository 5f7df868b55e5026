/* SPDX-License-Identifier: MIT */
/** @file The limits of `procmem headroom` as comma-separated values. */
#ifndef CMD_HEADROOM_CSV_H
#define CMD_HEADROOM_CSV_H

#include "headroom/headroom.h"

/**
 * Prints a row for each limit.
 *
 * @param report  the results
 * @param out     where to write
 */
void headroom_csv_print(const struct headroom_report *report, struct out *out);

#endif
