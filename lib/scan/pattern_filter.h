/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the offsets at which a match is possible. Every match of a pattern contains certain
 * sequences of bytes. The filter takes samples of the target to find the rarest of these sequences,
 * and searches for it. An offset at which the sequence is found is called a place, and PCRE2 is
 * called only for the matches that contain a place. If no sequence is rare, the filter is not used
 * and PCRE2 searches all bytes: to call PCRE2 for many places would be slower. Private.
 */
#ifndef PM_SCAN_PATTERN_FILTER_H
#define PM_SCAN_PATTERN_FILTER_H

#include "scan/byte_pair.h"
#include "scan/pattern_shape.h"

/** The filter for one pattern in one thread. */
struct pm_pattern_filter {
	const struct pm_pattern_shape *shape; /**< shape of the pattern */
	enum pm_simd simd;                    /**< vector instructions to use */
	const struct pm_required *required;   /**< the sequence to search for; NULL if the filter
	                                         is not used */
	/**
	 * Minimum average distance of the places, in bytes. If the distance is less, PCRE2 is
	 * faster without the filter.
	 */
	size_t tolerated;
	uint64_t until; /**< number of bytes to search before the sequence is chosen again */
	size_t places;  /**< number of places found in this window */
	size_t visits;  /**< number of offsets in this window at which the two bytes of `pair`
	                   match */
	struct pm_byte_pair pair; /**< tests for the two rarest positions of the sequence */
	pm_byte_pair_find *find;  /**< the function that searches for the pair */
	/**
	 * If not 0, the filter does not search for the sequence, but for this number of consecutive
	 * bytes that are in the set of `pair.tests[0]`.
	 */
	size_t run;
};

/**
 * Initialises a filter.
 *
 * @param filter  the filter
 * @param shape   shape of the pattern; must outlive the filter
 * @param simd    at most pm_simd_best()
 */
void pm_pattern_filter_init(struct pm_pattern_filter *filter, const struct pm_pattern_shape *shape,
                            enum pm_simd simd);

/**
 * Starts a window. Chooses the sequence to search for in the first window, and again after 64 MiB.
 *
 * @param filter  the filter
 * @param bytes   bytes of the window
 * @param size    number of these bytes
 * @return        true: use the filter for this window; false: search the window with PCRE2 alone
 */
bool pm_pattern_filter_begin(struct pm_pattern_filter *filter, const uint8_t *bytes, size_t size);

/**
 * Returns the length of the sequence or run that the filter searches for.
 * @param filter  a filter for which pm_pattern_filter_begin() returned true
 * @return        length in bytes, at least 1
 */
static inline size_t pm_pattern_filter_length(const struct pm_pattern_filter *filter)
{
	if (filter->run)
		return filter->run;
	return filter->required->bytes.count;
}

/**
 * Finds the first place at or after an offset.
 *
 * @param filter  the filter
 * @param bytes   bytes of the window
 * @param from    the first offset at which the sequence may start
 * @param end     offset of the end of the bytes to search; the sequence must end before it
 * @return        the place, or SIZE_MAX if there is none
 */
size_t pm_pattern_filter_next(struct pm_pattern_filter *filter, const uint8_t *bytes, size_t from,
                              size_t end);

/**
 * Tests whether the filter found too many places in a window up to the offset `at`, so that PCRE2
 * alone is faster. If so, the filter is no longer used, and the caller searches the rest of the
 * window with PCRE2 alone.
 */
bool pm_pattern_filter_failed(struct pm_pattern_filter *filter, size_t at);

#endif
