/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The most frequent strings in some pages of a process, such as the pages that a growing region
 * gained since the last sample.
 *
 * Only pages that are present or swapped out are read, so that the process does not grow. Strings
 * have at least PM_PAGE_STRING_MIN characters of UTF-8. Strings that differ only in their numbers
 * (text_template.h) are counted together, because leaked strings of the same origin often differ
 * only in a number. Counting uses at most PM_PAGE_STRINGS_BUDGET bytes of memory. If that is not
 * enough, rare strings are dropped (tally.h).
 */
#ifndef PROCMEM_PAGE_STRINGS_H
#define PROCMEM_PAGE_STRINGS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>
#include <procmem/page_set.h>
#include <procmem/process.h>
#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Minimum length of a string in characters. strings(1) uses 4, but compressed data contains many
 * random strings of that length.
 */
#define PM_PAGE_STRING_MIN 6

/**
 * Maximum number of bytes of a string that are kept. Longer strings whose kept bytes are equal are
 * counted as one string.
 */
#define PM_PAGE_STRING_MAX 256

/** Memory, in bytes, that a search may use to count strings: the budget of the tally (tally.h) */
#define PM_PAGE_STRINGS_BUDGET ((uint64_t)8 << 20)

/** A handle for searching pages of a process; opaque. Only one thread at a time may use it. */
struct pm_page_strings;

/** A string and its count. */
struct pm_page_string {
	/**
	 * The string, not NUL-terminated. Of a string of more than PM_PAGE_STRING_MAX bytes, only
	 * the first PM_PAGE_STRING_MAX bytes are kept. If `count` includes different strings, this
	 * is their common template, which has `#` in place of each number (text_template.h).
	 */
	const char *bytes;
	size_t length;  /**< length of the string in bytes */
	uint64_t count; /**< number of times that the string was found */
	/**
	 * Distance in bytes at which the string recurs, if more than half of the distances are
	 * equal; otherwise 0 (tally.h)
	 */
	uint64_t stride;
};

/**
 * The result of a search. A zeroed structure has no strings. Release it with
 * pm_page_strings_found_deinit().
 */
struct pm_page_strings_found {
	/**
	 * The strings, by descending count. Strings with equal counts are ordered by the address at
	 * which they were found first.
	 */
	struct pm_page_string *strings;
	size_t count; /**< number of strings */
	char *texts;  /**< private: the bytes of the strings */
	/** Size in bytes of all pages that were added to the set (pm_page_set.bytes). */
	uint64_t pages;
	/**
	 * Size in bytes of the pages that were searched. Less than `pages` if pm_page_set_thin()
	 * removed pages from the set, or if pages could not be read or no longer existed.
	 */
	uint64_t searched;
};

/**
 * Reports progress; called about ten times a second.
 *
 * @param context   pm_page_strings_options.context
 * @param searched  bytes searched so far
 * @param total     upper bound of the number of bytes to search
 */
typedef void pm_page_strings_progress(void *context, uint64_t searched, uint64_t total);

/** How to search pages. */
struct pm_page_strings_options {
	size_t max; /**< maximum number of strings to return */
	/**
	 * Cancellation flag: when it becomes non-zero, the search fails with PM_ERROR_CANCELLED.
	 * NULL if there is none.
	 */
	const volatile sig_atomic_t *cancel;
	pm_page_strings_progress *progress; /**< reports the progress; may be NULL */
	void *context;                      /**< passed to `progress` */
};

/**
 * Prepares to search pages of a process.
 *
 * @param process   the process; must outlive the handle
 * @param readable  true: check whether the kernel allows reading the memory, and fail if not.
 *                  false: do not check; if reading is not allowed, pm_page_strings_begin() fails
 * @param strings   receives the handle; release with pm_page_strings_close()
 * @param error     PM_ERROR_ACCESS, PM_ERROR_GONE, PM_ERROR_RESOURCES, and the other errors of
 *                  pm_pagemap_open()
 * @return          0 or -1
 */
PM_PUBLIC int pm_page_strings_open(struct pm_process *process, bool readable,
                                   struct pm_page_strings **strings, struct pm_error *error);

/**
 * Releases what pm_page_strings_open() created.
 * @param strings  the handle, or NULL
 */
PM_PUBLIC void pm_page_strings_close(struct pm_page_strings *strings);

/**
 * Starts reading the memory of the process. After this, call pm_page_strings_find() once or several
 * times, then pm_page_strings_end().
 *
 * @param strings  the handle; reading must not have been started
 * @param regions  the current regions; must remain valid until pm_page_strings_end()
 * @param error    PM_ERROR_ACCESS, PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_page_strings_begin(struct pm_page_strings *strings,
                                    const struct pm_regions *regions, struct pm_error *error);

/**
 * Finds the most frequent strings in some pages, in one thread. A string that is only partly in the
 * pages is found as a whole. There is one exception: if the string starts more than the size of a
 * page before the first of the pages that it reaches, only the part from that page on is found.
 *
 * @param strings  the handle, after pm_page_strings_begin()
 * @param pages    the pages; a set made with the regions that were passed to
 *                 pm_page_strings_begin()
 * @param options  how to search
 * @param found    filled; release it with pm_page_strings_found_deinit()
 * @param error    PM_ERROR_GONE, PM_ERROR_CANCELLED, PM_ERROR_RESOURCES, PM_ERROR_IO
 * @return         0 or -1
 */
PM_PUBLIC int pm_page_strings_find(struct pm_page_strings *strings, const struct pm_page_set *pages,
                                   const struct pm_page_strings_options *options,
                                   struct pm_page_strings_found *found, struct pm_error *error);

/**
 * Ends reading the memory of the process.
 * @param strings  the handle; if reading was not started, the function does nothing
 */
PM_PUBLIC void pm_page_strings_end(struct pm_page_strings *strings);

/**
 * Releases strings that were found.
 * @param found  strings filled by pm_page_strings_find(), or zeroed; zeroed afterwards
 */
PM_PUBLIC void pm_page_strings_found_deinit(struct pm_page_strings_found *found);

#ifdef __cplusplus
}
#endif

#endif
