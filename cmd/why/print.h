/* SPDX-License-Identifier: MIT */
/** @file The text output of `procmem why`. */
#ifndef CMD_WHY_PRINT_H
#define CMD_WHY_PRINT_H

#include "base/out.h"
#include "why/report.h"

/**
 * Prints the findings as text.
 *
 * @param report  the report
 * @param out     receives the text
 */
void why_print(const struct why_report *report, struct out *out);

#endif
