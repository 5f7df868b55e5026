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
	/**
	 * True if the match continues after these bytes. Either the next call of the visitor
	 * reports the next piece, or the match was cut here because it is longer than one mebibyte
	 * (pm_hit.truncated).
	 */
	bool truncated;
	/** True if the bytes continue those of the previous call, which had `truncated` set */
	bool continued;
};

/**
 * Called for each match, by ascending address, in the thread that called pm_grep_process() or
 * pm_strings_process(). If the visitor itself calls these functions, it must pass a `totals` other
 * than that of the running search.
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
	 * (`heap`), addresses, ranges, names (`[stack]`). If this is NULL or an empty list, all
	 * regions are searched. Kinds and names that match no region are ignored if another word
	 * matches. The search fails with PM_ERROR_NOT_FOUND if no word matches. It also fails if
	 * one of the words is an address or a range where nothing is mapped.
	 */
	const char *const *regions;
	unsigned flags; /**< for pm_grep_process(): enum pm_pattern_flag values, combined with
	                   `|` */
	struct pm_strings_options strings; /**< for pm_strings_process(): which strings to find */
	/**
	 * Stop the process during the search, with pm_stop_begin(). The process then also waits
	 * while the visitor runs.
	 */
	bool stop;
	/**
	 * Number of threads, at most PM_SCAN_WORKERS_MAX. 0: one thread for each usable CPU, but at
	 * most 4 threads.
	 */
	unsigned workers;
	/**
	 * Cancellation flag: when it becomes non-zero, the search fails with PM_ERROR_CANCELLED.
	 * NULL if there is none.
	 */
	const volatile sig_atomic_t *cancel;
};

/**
 * Searches the memory of a process for a pattern.
 *
 * The function starts threads, and ends them before it returns. It releases all resources that it
 * used. Several threads may call this function at the same time.
 *
 * @param pid      the process
 * @param pattern  the pattern. By default a regular expression (pattern_scan.h); with
 *                 PM_PATTERN_FIXED in `options->flags` a text; with PM_PATTERN_HEX hexadecimal
 *                 bytes
 * @param options  options; NULL has the same meaning as all zeros
 * @param visit    called for each match
 * @param context  passed to `visit`
 * @param totals   receives the totals, also after a failure. The search was incomplete if
 *                 `unreadable` or `gave_up` is not 0. If `totals` is NULL, an incomplete search
 *                 fails after all matches were reported: with PM_ERROR_UNREADABLE if bytes could
 *                 not be read, otherwise with PM_ERROR_RESOURCES. A search that the visitor ended
 *                 does not fail
 * @param error    PM_ERROR_USAGE (the pattern, the options), PM_ERROR_NOT_FOUND (the process, a
 *                 region), PM_ERROR_ACCESS, PM_ERROR_NO_MEMORY (a zombie or a kernel thread),
 *                 PM_ERROR_GONE (the process has ended, or has called exec; after exec, matches
 *                 that were reported may be wrong), PM_ERROR_CANCELLED, PM_ERROR_RESOURCES,
 *                 PM_ERROR_UNREADABLE (only if `totals` is NULL)
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
