/* SPDX-License-Identifier: MIT */
/** @file A regular expression (PCRE2) for names of processes. */
#ifndef CMD_BASE_NAME_FILTER_H
#define CMD_BASE_NAME_FILTER_H

#include <stdbool.h>

#include <procmem/error.h>

/** A filter; all zero lets everything through. */
struct name_filter {
	void *code;  /**< compiled pattern */
	void *match; /**< room for a match */
};

/**
 * Makes a filter.
 *
 * @param filter  filled; release with name_filter_deinit()
 * @param regex   the expression, NULL for everything
 * @param error   PM_ERROR_USAGE with the position
 * @return        0 or -1
 */
int name_filter_init(struct name_filter *filter, const char *regex, struct pm_error *error);

/**
 * Releases a filter.
 * @param filter the filter
 */
void name_filter_deinit(struct name_filter *filter);

/**
 * Whether a name matches somewhere.
 * @param filter the filter
 * @param name any bytes
 * @return true or false
 */
bool name_filter_fits(const struct name_filter *filter, const char *name);

#endif
