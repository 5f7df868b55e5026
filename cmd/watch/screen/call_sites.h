/* SPDX-License-Identifier: MIT */
/** @file Finds out which code maps and touches the memory of a row of the live screen. */
#ifndef CMD_WATCH_SCREEN_CALL_SITES_H
#define CMD_WATCH_SCREEN_CALL_SITES_H

#include <signal.h>

#include <procmem/process.h>
#include <procmem/range.h>

#include "base/text.h"
#include "watch/screen/task.h"

/** How long a trace takes, in seconds. */
enum { SCREEN_CALL_SITES_SECONDS = 10 };

/** What is traced. */
struct screen_call_sites {
	struct pm_process *process;          /**< the target */
	const struct pm_range *ranges;       /**< the regions of the row, by ascending address */
	size_t count;                        /**< number of regions */
	bool bytes;                          /**< print sizes in bytes */
	const volatile sig_atomic_t *cancel; /**< ends the trace without a result */
};

/**
 * Traces the target for some seconds.
 *
 * @param wanted  what is traced
 * @param line    receives the progress: milliseconds
 * @param text    receives a title and lines, escaped, each ended by a newline: the call sites that
 *                map or touch the memory of the row, and then those of other memory
 * @param error   as for pm_trace_attach(), pm_trace_run() and pm_trace_measure();
 *                PM_ERROR_CANCELLED
 * @return        0 or -1
 */
int screen_call_sites_find(const struct screen_call_sites *wanted, struct screen_task_line *line,
                           struct text *text, struct pm_error *error);

#endif
