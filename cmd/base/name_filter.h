/* SPDX-License-Identifier: MIT */
/** @file A regular expression (PCRE2) for the names of processes, and for rows of a screen. */
#ifndef CMD_BASE_NAME_FILTER_H
#define CMD_BASE_NAME_FILTER_H

#include <stdbool.h>

#include <procmem/error.h>

/** A filter. If zeroed, the filter matches every name. */
struct name_filter {
	void *code;  /**< compiled pattern, NULL to match every name; owned */
	void *match; /**< match data of PCRE2; owned */
};

/**
 * Compiles a filter.
 *
 * @param filter  filled; release it with name_filter_deinit()
 * @param regex   the expression, NULL to match every name
 * @param error   PM_ERROR_USAGE with the position of the mistake
 * @return        0 or -1
 */
int name_filter_init(struct name_filter *filter, const char *regex, struct pm_error *error);

/**
 * Compiles a filter that ignores case. "(?-i)" at the start of the expression makes it distinguish
 * case.
 *
 * @param filter  filled; release it with name_filter_deinit()
 * @param regex   the expression, NULL to match every name
 * @param error   PM_ERROR_USAGE with the position of the mistake
 * @return        0 or -1
 */
int name_filter_init_caseless(struct name_filter *filter, const char *regex,
                              struct pm_error *error);

/**
 * Releases a filter.
 * @param filter  the filter; matches every name afterwards
 */
void name_filter_deinit(struct name_filter *filter);

/**
 * Checks whether the expression matches any part of a name.
 *
 * @param filter  the filter
 * @param name    arbitrary bytes, NUL-terminated
 * @return        true if it matches
 */
bool name_filter_fits(const struct name_filter *filter, const char *name);

#endif
