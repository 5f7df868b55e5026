/* SPDX-License-Identifier: MIT */
/** @file Output of `procmem headroom`. */
#ifndef CMD_HEADROOM_PRINT_H
#define CMD_HEADROOM_PRINT_H

#include "headroom/headroom.h"

/**
 * Sorts the kinds that hold memory, largest first.
 *
 * @param report  the results
 * @param order   receives at most PM_KIND_COUNT kinds
 * @return        number of kinds
 */
size_t headroom_print_order(const struct headroom_report *report, enum pm_kind *order);

/**
 * Prints the results as text.
 *
 * @param report  the results
 * @param out     where to write
 */
void headroom_print(const struct headroom_report *report, struct out *out);

#endif
