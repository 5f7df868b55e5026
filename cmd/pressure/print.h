/* SPDX-License-Identifier: MIT */
/** @file The text output of `procmem pressure`. */
#ifndef CMD_PRESSURE_PRINT_H
#define CMD_PRESSURE_PRINT_H

#include "pressure/pressure.h"

/**
 * Prints the answer, a row for each level, the thresholds that are crossed, and the OOM kills.
 *
 * @param report  the results
 * @param out     receives the text
 */
void pressure_print(const struct pressure_report *report, struct out *out);

#endif
