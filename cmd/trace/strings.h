/* SPDX-License-Identifier: MIT */
/** @file The most frequent strings in the memory of each site. */
#ifndef CMD_TRACE_STRINGS_H
#define CMD_TRACE_STRINGS_H

#include <procmem/process.h>

#include "trace/rows.h"

/** The lines below the rows. A zeroed structure has none. */
struct trace_strings {
	struct text *lines; /**< the lines of each row; owned */
	size_t count;       /**< number of rows */
};

/**
 * Searches the largest region of each row that the table can show, and sets trace_row.detail. Reads
 * at most 4 MiB for each of the first 64 rows. Rows whose memory is gone get no lines.
 *
 * @param strings  zeroed; filled; must outlive the rows; release it with trace_strings_deinit()
 * @param process  the target
 * @param rows     the rows
 * @param max      maximum number of strings of a row
 * @param error    PM_ERROR_ACCESS, PM_ERROR_CANCELLED, PM_ERROR_RESOURCES
 * @return         0, also if the process has exited; or -1
 */
int trace_strings_find(struct trace_strings *strings, struct pm_process *process,
                       struct trace_rows *rows, unsigned max, struct pm_error *error);

/** Releases the lines. */
void trace_strings_deinit(struct trace_strings *strings);

#endif
