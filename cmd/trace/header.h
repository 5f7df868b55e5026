/* SPDX-License-Identifier: MIT */
/** @file The lines above the table of a trace, and the notes on stderr. */
#ifndef CMD_TRACE_HEADER_H
#define CMD_TRACE_HEADER_H

#include "base/out.h"
#include "trace/report.h"

/**
 * Prints what was traced, how, and at what cost.
 *
 * @param report  the report
 * @param bytes   whether to print exact sizes
 * @param out     where to print
 * @return        number of lines
 */
size_t trace_header_print(const struct trace_report *report, bool bytes, struct out *out);

/**
 * Reports on stderr what makes the figures uncertain, and what helps.
 * @param report  the report
 */
void trace_header_notes(const struct trace_report *report);

/**
 * Returns the name of a backend.
 * @param backend  PM_TRACE_PERF or PM_TRACE_PTRACE
 * @return         a constant
 */
const char *trace_header_backend(enum pm_trace_backend backend);

/**
 * Returns the events per second.
 * @param state  the state of the trace
 * @return       events per second; 0 if no time has passed
 */
double trace_header_event_rate(const struct pm_trace_state *state);

#endif
