/* SPDX-License-Identifier: MIT */
/** @file `heap` with an address: the chunk that contains the address, and its neighbours. */
#ifndef CMD_HEAP_AT_H
#define CMD_HEAP_AT_H

#include "heap/report.h"

/**
 * Prints the chunk that contains an address.
 *
 * @param report   what is known about the heap
 * @param address  the address
 * @param out      where to print
 * @param error    any
 * @return         1; 0 if no chunk contains the address (`error` is set); -1 on error
 */
int heap_at_print(struct heap_report *report, uint64_t address, struct out *out,
                  struct pm_error *error);

#endif
