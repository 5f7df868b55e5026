/* SPDX-License-Identifier: MIT */
/** @file The findings of `procmem why` about a watched process, from its history so far. */
#ifndef CMD_WATCH_WHY_H
#define CMD_WATCH_WHY_H

#include "base/out.h"
#include "watch/history.h"
#include "watch/run.h"

/** What the findings are made of. */
struct watch_why {
	const struct watch_run *run;
	const struct watch_history *history; /**< not a copy */
	bool walk; /**< walk over malloc's heap now, which takes about a second for each GiB */
};

/**
 * Prints the findings. What was not watched is listed as not seen.
 *
 * @param why    the watched process
 * @param out    receives the report
 * @param error  PM_ERROR_RESOURCES, PM_ERROR_GONE, PM_ERROR_CANCELLED
 * @return       number of findings that need attention, or -1
 */
int watch_why_print(const struct watch_why *why, struct out *out, struct pm_error *error);

/**
 * Writes the findings to a file, whose mode is 0600. The file exists only if it is complete. If its
 * name ends with ".html", it is a report as of `procmem why --html`.
 *
 * @param why    the watched process
 * @param path   the file, which must not exist
 * @param error  as for watch_why_print(), and PM_ERROR_IO
 * @return       number of findings that need attention, or -1
 */
int watch_why_write(const struct watch_why *why, const char *path, struct pm_error *error);

/**
 * Makes the findings as text for a screen.
 *
 * @param why      the watched process
 * @param columns  width of the screen
 * @param text     receives the lines
 * @param error    as for watch_why_print(), and PM_ERROR_IO
 * @return         number of findings that need attention, or -1
 */
int watch_why_read(const struct watch_why *why, size_t columns, struct text *text,
                   struct pm_error *error);

#endif
