/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Searches for patterns: Perl-compatible regular expressions (pcre2pattern(3)). The expressions
 * match bytes, and are compiled to machine code.
 *
 * A match must start in a page that is in memory or in swap. A match may end in pages that were
 * never touched, which contain zeros. Empty matches are not reported. Without PM_PATTERN_MULTILINE,
 * `^` and `$` match only at the start and the end of a region, or of a selected range of addresses.
 * Look-behinds, look-aheads and `\b` do not see bytes outside of the region or the selected range.
 * If several patterns match at the same address, the match of the pattern with the lowest index is
 * reported. Matches never overlap.
 *
 * Parts of memory are searched in parallel, but verbs such as `(*SKIP)` have the same effect as if
 * memory were searched from its start to its end. `(*COMMIT)` and `\G` are refused. At most 7
 * patterns of a scanner may contain `(*SKIP)`.
 *
 * With some patterns, an attempt to match at an address can take exponential time. Such an attempt
 * is ended after about 2 ms, and no match is found at this address. pm_scan_totals.gave_up counts
 * these addresses. The next addresses are then skipped without an attempt: one address at first,
 * more if attempts are ended repeatedly. pm_scan_totals.passed counts the skipped addresses.
 */
#ifndef PROCMEM_PATTERN_SCAN_H
#define PROCMEM_PATTERN_SCAN_H

#include <stddef.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Flags of a pattern. */
enum pm_pattern_flag {
	/** The pattern is not a regular expression, but the text to find */
	PM_PATTERN_FIXED = 1,
	PM_PATTERN_CASELESS = 2, /**< ignore the case of ASCII letters or, with PM_PATTERN_UTF,
	                            of all letters */
	/**
	 * The pattern and the memory are UTF-8. Characters are matched as a whole, and invalid
	 * bytes match nothing.
	 */
	PM_PATTERN_UTF = 4,
	PM_PATTERN_MULTILINE = 8, /**< `^` and `$` also match at line breaks */
	PM_PATTERN_WIDE = 16,     /**< also match UTF-16 text, little- and big-endian */
	/**
	 * The pattern is a sequence of bytes in hexadecimal, such as "de ad ?? e?", where `?` means
	 * any digit. Cannot be combined with other flags.
	 */
	PM_PATTERN_HEX = 32,
};

/** One pattern. */
struct pm_pattern {
	const char *text; /**< the text of the pattern, which may contain any bytes */
	size_t length;    /**< length in bytes, at least 1 */
	unsigned flags;   /**< enum pm_pattern_flag values, combined with `|` */
};

/**
 * Describes what to search for; opaque. Several threads and scans may use the same scanner at the
 * same time.
 */
struct pm_scanner;

/**
 * Creates a scanner for patterns. In a hit, `source` is the index of the pattern. If the pattern
 * has the flag PM_PATTERN_UTF, `encoding` is PM_ENCODING_UTF8, otherwise PM_ENCODING_8BIT. If the
 * pattern has the flag PM_PATTERN_WIDE, `encoding` can also be PM_ENCODING_UTF16LE or
 * PM_ENCODING_UTF16BE.
 *
 * @param patterns  the patterns; not used after the call
 * @param count     number of patterns, at least 1
 * @param scanner   receives the scanner; release it with pm_scanner_destroy()
 * @param error     PM_ERROR_USAGE (the message gives the mistake, its offset and, if there are
 *                  several patterns, the number of the pattern), PM_ERROR_RESOURCES
 * @return          0 or -1
 */
PM_PUBLIC int pm_pattern_scanner_create(const struct pm_pattern *patterns, size_t count,
                                        struct pm_scanner **scanner, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
