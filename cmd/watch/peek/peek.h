/* SPDX-License-Identifier: MIT */
/** @file What the new pages of growing regions hold: the strings that stand in them most often. */
#ifndef CMD_WATCH_PEEK_PEEK_H
#define CMD_WATCH_PEEK_PEEK_H

#include <stdbool.h>

#include <jansson.h>

#include <procmem/page_strings.h>

#include "watch/watch.h"

/** What was found in some pages. Zeroed: nothing. */
struct peek_result {
	struct pm_page_strings_found found; /**< strings, and bytes searched */
	double time; /**< of the sample: the pages appeared between the one before and this one */
	bool all;    /**< not only new pages: none are known */
};

/**
 * Releases what was found.
 * @param peek zeroed afterwards
 */
void peek_result_deinit(struct peek_result *peek);

/**
 * Starts to keep new pages in mind.
 *
 * @param options  what the user wants; with `peek` above 0 the memory must be readable
 * @param target   the process
 * @param peek     where to store it; release with peek_close()
 * @param error    PM_ERROR_ACCESS and others
 * @return         0 or -1
 */
int peek_open(const struct watch_options *options, const struct target *target, struct peek **peek,
              struct pm_error *error);

/**
 * Ends that.
 * @param peek it, or NULL
 */
void peek_close(struct peek *peek);

/**
 * Books the pages that appeared in the last sample; with watch_options.peek it looks through those
 * of the rows that grew, as far as the budget allows.
 *
 * @param watch  with its rows sorted
 * @param error  PM_ERROR_RESOURCES, PM_ERROR_ACCESS
 * @return       0 or -1
 */
int peek_step(struct watch *watch, struct pm_error *error);

/**
 * What was found when a row grew the last time; `time` tells whether that was in the last sample.
 *
 * @param watch  the process
 * @param row    one of its rows
 * @return       NULL where nothing was looked at, else valid until the next sample
 */
const struct peek_result *peek_found(const struct watch *watch, const struct watch_row *row);

/**
 * Looks through the pages of a row that appeared last, when it grew the last time; where it has
 * none of these, through all that it has.
 *
 * @param watch   the process, opened with watch_options.peek or watch_options.keep_pages
 * @param row     one of its rows
 * @param options number of strings, and who is told
 * @param found   filled; release with peek_result_deinit()
 * @param error   PM_ERROR_ACCESS, PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED,
 * PM_ERROR_NOT_FOUND: the row has no region any more
 * @return        0 or -1
 */
int peek_newest(const struct watch *watch, const struct watch_row *row,
                const struct pm_page_strings_options *options, struct peek_result *found,
                struct pm_error *error);

#endif
