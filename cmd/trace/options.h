/* SPDX-License-Identifier: MIT */
/** @file The options of `trace`. */
#ifndef CMD_TRACE_OPTIONS_H
#define CMD_TRACE_OPTIONS_H

#include <procmem/trace.h>

#include "cli/options.h"
#include "trace/rows.h"

/** The parsed options. */
struct trace_options {
	struct pm_trace_options trace; /**< --backend, --faults, --stack */
	double seconds;                /**< --for; 0 if not given */
	double every;                  /**< --every: seconds; 0 if not given */
	enum trace_by by;              /**< --by */
	unsigned strings;              /**< --strings: strings below each row; 0 if not given */
	const char *folded;            /**< --folded: path, or NULL */
	const char *svg;               /**< --svg: path, or NULL */
	const char *pprof;             /**< --pprof: path, or NULL */
	const char *record;            /**< --record: path, or NULL */
	struct list_options list;      /**< the table */
	struct output_options output;  /**< output options */
};

/** All groups of options. */
extern const struct cli_group trace_options_groups[];

/** Options that exclude each other, as in cli_spec.exclusive. */
extern const char *const trace_options_exclusive[];

#endif
