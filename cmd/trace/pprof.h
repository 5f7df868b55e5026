/* SPDX-License-Identifier: MIT */
/** @file The result of a trace as a profile of pprof. */
#ifndef CMD_TRACE_PPROF_H
#define CMD_TRACE_PPROF_H

#include "base/text.h"
#include "trace/report.h"

/**
 * Makes a profile: a message of profile.proto, compressed with gzip. Each site is a sample with the
 * values mapped_space (bytes), inuse_space (resident bytes) and calls (count), and with the labels
 * `thread` (name), `tid`, `memory` ("mapped before the trace") and `stack` ("cut", "none"). Memory
 * that was mapped before the trace and that no code has touched is left out.
 *
 * @param report  the report
 * @param text    receives the compressed profile
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int trace_pprof_make(const struct trace_report *report, struct text *text, struct pm_error *error);

#endif
