/* SPDX-License-Identifier: MIT */
/** @file The most frequent strings in the new pages of growing regions. */
#ifndef CMD_WATCH_PEEK_PEEK_H
#define CMD_WATCH_PEEK_PEEK_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/page_strings.h>

#include "watch/history.h"
#include "watch/view.h"

/** Stores new pages and the strings that were found in them; opaque. */
struct peek;

/** The strings that were found in pages of a row. A zeroed struct contains no strings. */
struct peek_result {
	struct pm_page_strings_found found; /**< the strings, and the number of bytes searched */
	double time; /**< time of the sample in which the pages appeared, in seconds */
	bool all; /**< all pages of the row were searched, because it is not known which of them are
	             new */
};

/** Maximum number of strings that peek_step() keeps for a row. */
#define PEEK_MAX 1000

/**
 * Starts to remember new pages.
 *
 * @param process   the process; must outlive the result
 * @param readable  true: fail if the memory of the process cannot be read; false: succeed
 *                  nevertheless, and let each search fail
 * @param peek      receives the result; release with peek_close()
 * @param error     as pm_page_strings_open()
 * @return          0 or -1
 */
int peek_open(struct pm_process *process, bool readable, struct peek **peek,
              struct pm_error *error);

/**
 * Releases all pages and strings.
 * @param peek from peek_open(), or NULL
 */
void peek_close(struct peek *peek);

/**
 * Adds the pages that appeared in the last sample. Searches the new pages of the rows that grew, as
 * many bytes as --budget allows.
 *
 * @param peek     from peek_open()
 * @param history  the history
 * @param view     the displayed rows
 * @param max      maximum number of strings for each row, at most PEEK_MAX; 0: do not search. A
 *                 string that is the beginning of a longer one that is kept is left out, unless it
 *                 was found more than twice as often as the longer one
 * @param error    PM_ERROR_RESOURCES, PM_ERROR_ACCESS
 * @return         0 or -1
 */
int peek_step(struct peek *peek, const struct watch_history *history, const struct watch_view *view,
              uint64_t max, struct pm_error *error);

/**
 * Returns the strings that peek_step() found when a row last grew.
 *
 * @param peek  from peek_open(), or NULL
 * @param row   the row
 * @return      the result, valid until the next sample; NULL if no pages of the row have been
 *              searched
 */
const struct peek_result *peek_found(const struct peek *peek, const struct watch_row *row);

/**
 * Searches the newest pages of a row: the pages that appeared when the row last grew or, if no such
 * pages are known, all its pages.
 *
 * @param peek     from peek_open()
 * @param history  the history
 * @param row      the row
 * @param options  the options of the search
 * @param result   filled; release with peek_result_deinit()
 * @param error    as pm_page_strings_find(); PM_ERROR_NOT_FOUND if all regions of the row have been
 *                 unmapped
 * @return         0 or -1
 */
int peek_newest(const struct peek *peek, const struct watch_history *history,
                const struct watch_row *row, const struct pm_page_strings_options *options,
                struct peek_result *result, struct pm_error *error);

/**
 * Releases a result.
 * @param result filled, or zeroed; zeroed afterwards
 */
void peek_result_deinit(struct peek_result *result);

#endif
