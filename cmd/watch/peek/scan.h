/* SPDX-License-Identifier: MIT */
/**
 * @file Finds the strings that stand most often in some pages of a process. Private to
 * peek.c.
 */
#ifndef CMD_WATCH_PEEK_SCAN_H
#define CMD_WATCH_PEEK_SCAN_H

#include <procmem/pagemap.h>
#include <procmem/read_plan.h>
#include <procmem/reader.h>
#include <procmem/scan.h>

#include "watch/peek/pages.h"
#include "watch/peek/peek.h"

/** What looking through pages needs. */
struct peek_scan {
	struct pm_process *process;
	struct pm_pagemap *pagemap;       /**< what is there by now */
	struct pm_page_source states;     /**< the same, for plans */
	struct pm_scanner *scanner;       /**< for text */
	const struct pm_regions *regions; /**< between begin and end */
	struct pm_reader reader;          /**< the same */
};

/**
 * Opens it.
 *
 * @param scan       filled; release with peek_scan_close()
 * @param process    the process; must outlive it
 * @param must_read  fail where memory may not be read
 * @param error      PM_ERROR_ACCESS and others
 * @return           0 or -1
 */
int peek_scan_open(struct peek_scan *scan, struct pm_process *process, bool must_read,
                   struct pm_error *error);

/**
 * Closes it.
 * @param scan opened, or zeroed
 */
void peek_scan_close(struct peek_scan *scan);

/**
 * Starts to read.
 * @param scan opened
 * @param regions as they are now
 * @param error PM_ERROR_ACCESS, PM_ERROR_GONE
 * @return 0 or -1
 */
int peek_scan_begin(struct peek_scan *scan, const struct pm_regions *regions,
                    struct pm_error *error);

/**
 * Looks through pages that are still there. Text that goes on in pages beside them is seen whole;
 * what begins more than a page before them is told from their begin on.
 *
 * @param scan    begun
 * @param pages   which
 * @param top     most strings
 * @param follow  NULL for nobody
 * @param found   filled; release with peek_result_deinit()
 * @param error   any
 * @return        0 or -1
 */
int peek_scan_run(struct peek_scan *scan, const struct peek_pages *pages, size_t top,
                  const struct peek_follow *follow, struct peek_result *found,
                  struct pm_error *error);

/**
 * Ends reading.
 * @param scan begun or not
 */
void peek_scan_end(struct peek_scan *scan);

#endif
