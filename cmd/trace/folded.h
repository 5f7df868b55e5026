/* SPDX-License-Identifier: MIT */
/** @file The result of a trace as folded stacks, for viewers of flame graphs. */
#ifndef CMD_TRACE_FOLDED_H
#define CMD_TRACE_FOLDED_H

#include "base/text.h"
#include "trace/report.h"

/**
 * Makes a line for each stack: its frames, the outermost first, separated by semicolons; a space;
 * and its resident bytes. A semicolon in a name becomes a colon. Memory that was mapped before the
 * trace has an outermost frame of its own, and is left out if no code has touched it.
 *
 * @param report  the report
 * @param text    receives the lines
 * @param error   not set
 * @return        0
 */
int trace_folded_make(const struct trace_report *report, struct text *text, struct pm_error *error);

#endif
