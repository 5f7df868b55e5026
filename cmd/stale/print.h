/* SPDX-License-Identifier: MIT */
/** @file Prints the results of `procmem stale` as text or CSV. */
#ifndef CMD_STALE_PRINT_H
#define CMD_STALE_PRINT_H

#include "stale/stale.h"
#include "view/list.h"

/**
 * Prints the results.
 *
 * @param report   the results
 * @param regions  the selected regions
 * @param list     the sorted list to print: `regions`, or groups of them
 * @param out      receives the text
 */
void stale_print(const struct stale_report *report, const struct list *regions, struct list *list,
                 struct out *out);

#endif
