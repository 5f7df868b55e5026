/* SPDX-License-Identifier: MIT */
/** @file The verdict on a heap as text. */
#ifndef CMD_HEAP_VERDICT_TEXT_H
#define CMD_HEAP_VERDICT_TEXT_H

#include "base/out.h"
#include "heap/report.h"

/**
 * Prints the line that says how much of the heap is in use or free, and what keeps free memory.
 *
 * @param report  counted
 * @param out     the output
 * @return        number of lines
 */
size_t heap_verdict_text_print(const struct heap_report *report, struct out *out);

#endif
