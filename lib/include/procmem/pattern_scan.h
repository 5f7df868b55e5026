/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Searching for patterns: Perl-compatible regular expressions (pcre2pattern(3)) over bytes,
 * compiled to machine code.
 *
 * A match begins in memory that is there: pages that were never touched are zeros, and only the end
 * of a match may lie in them. Empty matches do not count. Without PM_PATTERN_MULTILINE `^` and `$`
 * are the begin and the end of a region. Of several patterns that match at the same place the first
 * one counts; matches never overlap.
 *
 * Patterns and memory are hostile together: an attempt to match takes about 2 ms at the most, then
 * its begin is passed over and counted (pm_scan_totals.gave_up).
 */
#ifndef PROCMEM_PATTERN_SCAN_H
#define PROCMEM_PATTERN_SCAN_H

#include <stddef.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a pattern is meant. */
enum pm_pattern_flag {
	PM_PATTERN_FIXED = 1,    /**< no regular expression, but the text itself */
	PM_PATTERN_CASELESS = 2, /**< upper and lower case are the same: letters of ASCII, with
	                            PM_PATTERN_UTF all */
	PM_PATTERN_UTF = 4, /**< pattern and memory are UTF-8: a character is matched as a whole;
	                       bytes that are not valid match nothing */
	PM_PATTERN_MULTILINE = 8, /**< `^` and `$` are begins and ends of lines too */
	PM_PATTERN_WIDE = 16,     /**< the text as UTF-16 too, little- and big-endian */
	PM_PATTERN_HEX = 32, /**< bytes in hexadecimal, `?` for any digit: "de ad ?? e?"; only with
	                        none of the others */
};

/** One pattern. */
struct pm_pattern {
	const char *text; /**< any bytes */
	size_t length;    /**< how many, at least 1 */
	unsigned flags;   /**< enum pm_pattern_flag bits */
};

/** A search; opaque. Several threads and scans may use one. */
struct pm_scanner;

/**
 * Makes a search for patterns. Each hit's `source` is the index of its pattern, its `encoding` that
 * of the text: PM_ENCODING_8BIT or PM_ENCODING_UTF8, and with PM_PATTERN_WIDE also those of UTF-16.
 *
 * @param patterns  the patterns; not needed afterwards
 * @param count     how many, at least 1
 * @param scanner   where to store it; release with pm_scanner_destroy()
 * @param error     PM_ERROR_USAGE: the text says what is wrong and at which byte of which pattern;
 * PM_ERROR_RESOURCES
 * @return          0 or -1
 */
PM_PUBLIC int pm_pattern_scanner_create(const struct pm_pattern *patterns, size_t count,
                                        struct pm_scanner **scanner, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
