/* SPDX-License-Identifier: MIT */
/** @file The sites of a trace as a list: one row for a stack, a function, a thread or a file. */
#ifndef CMD_TRACE_ROWS_H
#define CMD_TRACE_ROWS_H

#include "trace/report.h"
#include "view/list.h"

/** How sites are grouped: the common property of the sites of a row. */
enum trace_by {
	TRACE_BY_STACK,    /**< a call stack */
	TRACE_BY_FUNCTION, /**< the innermost function of the program */
	TRACE_BY_THREAD,   /**< a thread */
	TRACE_BY_OBJECT,   /**< the program or library of that function */
	TRACE_BY_LINE,     /**< the text of a call stack: --by stack in a table */
};

/** A row: one site, or several. */
struct trace_row {
	const struct trace_report *report; /**< the report */
	enum trace_by by;                  /**< what its sites have in common */
	size_t site;                       /**< index of its largest site */
	size_t sites;                      /**< number of its sites */
	pid_t tid;                         /**< the thread; 0 if several */
	uint64_t resident;                 /**< sums over the sites, as in struct pm_trace_site */
	uint64_t mapped, calls, regions, faults;
	int64_t change;            /**< change of the resident bytes since the previous result */
	const struct text *detail; /**< lines that follow the row; NULL if there are none */
};

/** A list of rows. */
struct trace_rows {
	struct list list;
	struct list_spec spec; /**< the description, with the default columns */
	struct trace_row *own; /**< the rows; owned */
	size_t count;          /**< number of rows */
};

/** The columns. */
extern const struct list_spec trace_rows_spec;

/**
 * Makes the list, sorted.
 *
 * @param rows     filled; must not move afterwards; release it with trace_rows_deinit(), also on
 *                 failure
 * @param report   the report; must outlive the list
 * @param by       how sites are grouped
 * @param options  options of the user; must outlive the list
 * @param bytes    whether to print exact sizes
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int trace_rows_init(struct trace_rows *rows, const struct trace_report *report, enum trace_by by,
                    const struct list_options *options, bool bytes, struct pm_error *error);

/** Releases the list. */
void trace_rows_deinit(struct trace_rows *rows);

#endif
