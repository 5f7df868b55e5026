/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the places where a match is possible. These are the places of the rarest sequence of bytes
 * that every match contains; the bytes of the target are counted to find out which sequence is
 * rare. If no sequence is rare, the filter is not used and PCRE2 searches all bytes, because
 * calling PCRE2 at each of many places would be slower. Private.
 */
#ifndef PM_SCAN_PATTERN_FILTER_H
#define PM_SCAN_PATTERN_FILTER_H

#include "scan/byte_pair.h"
#include "scan/pattern_shape.h"

/** The filter for one pattern in one thread. */
struct pm_pattern_filter {
	const struct pm_pattern_shape *shape; /**< shape of the pattern */
	enum pm_simd simd;                    /**< vector instructions to use */
	const struct pm_required *required;   /**< the sequence to search for, or NULL */
	size_t tolerated; /**< minimum number of bytes per place; if there are more places than
	                     that, PCRE2 is faster without the filter */
	uint64_t until;   /**< number of bytes to search before the sequence is chosen again */
	size_t places;    /**< number of places of the whole sequence found in this window */
	size_t visits;    /**< number of byte pairs found in this window */
	struct pm_byte_pair pair; /**< the two positions of the sequence to search for */
	pm_byte_pair_find *find;  /**< the function that searches for the pair */
	size_t run; /**< if not 0, the filter searches for a run of this number of bytes of
	               `pair.tests[0]` instead */
};

/**
 * Initialises a filter.
 *
 * @param filter  filled
 * @param shape   shape of the pattern; must outlive the filter
 * @param simd    at most pm_simd_best()
 */
void pm_pattern_filter_init(struct pm_pattern_filter *filter, const struct pm_pattern_shape *shape,
                            enum pm_simd simd);

/**
 * Starts a window. Chooses a sequence if necessary.
 *
 * @param filter  the filter
 * @param bytes   bytes of the window
 * @param size    number of these bytes
 * @return        true: use the filter for this window; false: PCRE2 alone is faster
 */
bool pm_pattern_filter_begin(struct pm_pattern_filter *filter, const uint8_t *bytes, size_t size);

/**
 * Returns the length of the sequence or run that the filter searches for.
 * @param filter  a filter that is in use
 * @return        bytes, at least 1
 */
static inline size_t pm_pattern_filter_length(const struct pm_pattern_filter *filter)
{
	if (filter->run)
		return filter->run;
	return filter->required->bytes.count;
}

/**
 * Finds the next place of the sequence.
 *
 * @param filter  the filter
 * @param bytes   bytes of the window
 * @param from    offset of the first place
 * @param end     offset of the end of the bytes to search; the sequence must end before it
 * @return        offset of the place, or SIZE_MAX if there is none
 */
size_t pm_pattern_filter_next(struct pm_pattern_filter *filter, const uint8_t *bytes, size_t from,
                              size_t end);

/**
 * Tests whether the filter found too many places in a window up to an offset. If so, the filter
 * ends, and the caller searches the rest of the window with PCRE2 alone.
 */
bool pm_pattern_filter_failed(struct pm_pattern_filter *filter, size_t at);

#endif
