/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Searches the memory of a process with one function call.
 *
 * @code
 * static int visit(void *context, const struct pm_match *match)
 * {
 *         printf("%#" PRIx64 " in %s\n", match->address, match->region->mapping);
 *         return 0;
 * }
 *
 * if (pm_grep_process(pid, "token=[0-9a-f]+", NULL, visit, NULL, NULL, &error) < 0)
 *         fprintf(stderr, "%s\n", error.text);
 * @endcode
 *
 * Pages that are in memory or in swap are searched. Other pages are not read, so that the search
 * does not make the process grow. Programs that need more control use <procmem/scan.h>.
 */
#ifndef PROCMEM_SEARCH_H
#define PROCMEM_SEARCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/region.h>
#include <procmem/scan.h>
#include <procmem/strings_scan.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A match. The structure and the memory to which its pointers refer are valid only during the call
 * of the visitor.
 *
 * A match of more than PM_SCAN_PIECE_MAX bytes is reported in pieces, one after the other.
 */
struct pm_match {
	uint64_t address;               /**< address of the first byte in the process */
	size_t length;                  /**< length in bytes */
	const uint8_t *bytes;           /**< copy of the bytes; not NUL-terminated */
	const struct pm_region *region; /**< region in which the match starts, with its kind */
	enum pm_encoding encoding;      /**< encoding of the text; see pm_string_text() */
	bool truncated;                 /**< the match continues after these bytes, usually in
	                                   the next call of the visitor */
	bool continued;                 /**< the bytes continue the previous match, which was
	                                   truncated */
};

/**
 * Called for each match, by ascending address, in the thread that called pm_grep_process() or
 * pm_strings_process(). If the visitor itself calls these functions, it must pass other `totals`.
 *
 * @param context  the context of the search
 * @param match    the match
 * @return         0 to continue; any other value ends the search, which then succeeds
 */
typedef int pm_match_visitor(void *context, const struct pm_match *match);

/** Options of a search. With all zeros, the whole process is searched while it runs. */
struct pm_search_options {
	/**
	 * The regions to search, as a NULL-terminated list of words for pm_select_add_word(): kinds
	 * (`heap`), addresses, ranges, names (`[stack]`). NULL or an empty list: all regions are
	 * searched. Kinds and names that match no region are ignored if another word matches. The
	 * search fails with PM_ERROR_NOT_FOUND if no word matches, or if nothing is mapped at an
	 * address.
	 */
	const char *const *regions;
	unsigned flags; /**< for pm_grep_process(): enum pm_pattern_flag values, combined with
	                   `|` */
	struct pm_strings_options strings; /**< for pm_strings_process(): which strings to find */
	bool stop; /**< stop the process during the search, with pm_stop_begin(); the process also
	              waits while the visitor runs */
	unsigned workers; /**< number of threads, at most PM_SCAN_WORKERS_MAX; 0: the number of
	                     CPUs, at most 4 */
	/**
	 * A flag that cancels the search: if its value becomes non-zero, the search fails with
	 * PM_ERROR_CANCELLED. NULL if the search cannot be cancelled.
	 */
	const volatile sig_atomic_t *cancel;
};

/**
 * Searches the memory of a process for a pattern.
 *
 * The function starts threads, and ends them before it returns. All resources that it used are
 * released. Several threads may call it at the same time.
 *
 * @param pid      the process
 * @param pattern  the pattern: a regular expression (pattern_scan.h) by default; a text with
 *                 PM_PATTERN_FIXED in `options->flags`; hexadecimal bytes with PM_PATTERN_HEX
 * @param options  options; NULL has the same meaning as all zeros
 * @param visit    called for each match
 * @param context  passed to `visit`
 * @param totals   receives the totals, also after a failure; the search was incomplete if
 *                 `unreadable` or `gave_up` is not 0. May be NULL. In that case an incomplete
 *                 search fails, unless the visitor ended it, after all matches were reported: with
 *                 PM_ERROR_UNREADABLE if bytes could not be read, otherwise with PM_ERROR_RESOURCES
 *                 if the pattern took too long at some address
 * @param error    PM_ERROR_USAGE (the pattern, the options), PM_ERROR_NOT_FOUND (the process, a
 *                 region), PM_ERROR_ACCESS, PM_ERROR_NO_MEMORY, PM_ERROR_GONE (the process has
 *                 ended, or has called exec, in which case the matches may be wrong),
 *                 PM_ERROR_CANCELLED, PM_ERROR_RESOURCES
 * @return         0 or -1; a search without a match returns 0
 */
PM_PUBLIC int pm_grep_process(pid_t pid, const char *pattern,
                              const struct pm_search_options *options, pm_match_visitor *visit,
                              void *context, struct pm_scan_totals *totals, struct pm_error *error);

/**
 * Searches the memory of a process for text: runs of printable characters, as strings(1) finds
 * them.
 *
 * @param pid      the process
 * @param options  options; NULL has the same meaning as all zeros: UTF-8 strings of at least 4
 *                 characters
 * @param visit    called for each string
 * @param context  passed to `visit`
 * @param totals   as for pm_grep_process()
 * @param error    as for pm_grep_process()
 * @return         0 or -1; a search without a match returns 0
 */
PM_PUBLIC int pm_strings_process(pid_t pid, const struct pm_search_options *options,
                                 pm_match_visitor *visit, void *context,
                                 struct pm_scan_totals *totals, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
