/* SPDX-License-Identifier: MIT */
/** @file Finds the strings that stand most often in some pages of a process. Private to watch_peek.c. */
#ifndef CMD_PEEK_SCAN_H
#define CMD_PEEK_SCAN_H

#include <procmem/pagemap.h>
#include <procmem/reader.h>
#include <procmem/scan.h>
#include <procmem/select.h>

#include "watch_peek.h"

/** Pages to be looked through; zeroed: none. */
struct peek_pages {
	struct pm_range *ranges; /**< ascending, each within a region */
	size_t count;            /**< how many */
	size_t capacity;         /**< private */
	uint64_t bytes;          /**< of the pages that were added */
};

/**
 * Adds the bytes between two addresses as far as they lie in regions.
 *
 * @param pages    get them
 * @param start    first address
 * @param end      address behind the last byte
 * @param regions  as they are now
 */
void peek_pages_add(struct peek_pages *pages, uint64_t start, uint64_t end, const struct pm_regions *regions);

/** Leaves out some, evenly spread, so that about so many bytes are left; `bytes` stays. @param pages the pages @param most how many bytes */
void peek_pages_thin(struct peek_pages *pages, uint64_t most);

/** Releases them. @param pages zeroed afterwards */
void peek_pages_deinit(struct peek_pages *pages);

/** What looking through pages needs. */
struct peek_scan {
	struct pm_process *process;
	struct pm_pagemap *pagemap;       /**< what is there by now */
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
int peek_scan_open(struct peek_scan *scan, struct pm_process *process, bool must_read, struct pm_error *error);

/** Closes it. @param scan opened, or zeroed */
void peek_scan_close(struct peek_scan *scan);

/** Starts to read. @param scan opened @param regions as they are now @param error PM_ERROR_ACCESS, PM_ERROR_GONE @return 0 or -1 */
int peek_scan_begin(struct peek_scan *scan, const struct pm_regions *regions, struct pm_error *error);

/**
 * Looks through pages that are still there.
 *
 * @param scan    begun
 * @param pages   which
 * @param top     most strings
 * @param follow  NULL for nobody
 * @param found   filled; release with peek_deinit()
 * @param error   any
 * @return        0 or -1
 */
int peek_scan_run(struct peek_scan *scan, const struct peek_pages *pages, size_t top, const struct peek_follow *follow, struct peek *found,
                  struct pm_error *error);

/** Ends reading. @param scan begun or not */
void peek_scan_end(struct peek_scan *scan);

#endif
