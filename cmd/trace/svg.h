/* SPDX-License-Identifier: MIT */
/** @file The result of a trace as a flame graph. */
#ifndef CMD_TRACE_SVG_H
#define CMD_TRACE_SVG_H

#include "base/text.h"
#include "trace/report.h"

/**
 * Makes a flame graph, an SVG file that needs no other file. The widths are resident bytes. The
 * outermost functions are at the bottom. A browser zooms and searches by the script in the file;
 * the picture is complete without the script.
 *
 * @param report  the report
 * @param text    receives the file
 * @param error   not set
 * @return        0
 */
int trace_svg_make(const struct trace_report *report, struct text *text, struct pm_error *error);

#endif
