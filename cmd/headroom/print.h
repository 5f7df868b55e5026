/* SPDX-License-Identifier: MIT */
/** @file Output of `procmem headroom`. */
#ifndef CMD_HEADROOM_PRINT_H
#define CMD_HEADROOM_PRINT_H

#include "headroom/headroom.h"

/**
 * Prints the results as text.
 *
 * @param report  the results
 * @param out     where to write
 */
void headroom_print(const struct headroom_report *report, struct out *out);

#endif
