/* SPDX-License-Identifier: MIT */
/** @file Prints the result of a trace as JSON. */
#ifndef CMD_TRACE_JSON_H
#define CMD_TRACE_JSON_H

#include "base/out.h"
#include "trace/options.h"
#include "trace/rows.h"

/**
 * Prints a JSON object: in one line with --every, else in several lines.
 *
 * @param report   the report
 * @param rows     its rows
 * @param options  the options
 * @param final    whether this is the result at the end; otherwise one of --every
 * @param out      where to print
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int trace_json_print(const struct trace_report *report, const struct trace_rows *rows,
                     const struct trace_options *options, bool final, struct out *out,
                     struct pm_error *error);

#endif
