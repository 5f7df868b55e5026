/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finding the places where a match is possible: those of the rarest sequence that every match
 * contains. What is rare is counted in the bytes of the target. If no sequence is rare, PCRE2
 * searches alone: to call it at each of many places would be slower. Private.
 */
#ifndef PM_SCAN_PATTERN_FILTER_H
#define PM_SCAN_PATTERN_FILTER_H

#include "scan/byte_pair.h"
#include "scan/pattern_shape.h"

/** The filter of one pattern in one thread. */
struct pm_pattern_filter {
	const struct pm_pattern_shape *shape; /**< shape of the pattern */
	enum pm_simd simd;                    /**< vector instructions to use */
	const struct pm_required *required;   /**< the sequence to search for; NULL for none */
	size_t tolerated; /**< minimum of bytes per place: with fewer, PCRE2 is faster alone */
	uint64_t until;   /**< bytes to search before the sequence is chosen again */
	size_t places;    /**< places found in this window */
	size_t visits;    /**< pairs found in this window */
	struct pm_byte_pair pair; /**< the two positions of the sequence to search for */
	pm_byte_pair_find *find;  /**< the function that searches for them */
	size_t run; /**< if not 0, a run of this many bytes of the first test is searched for
	               instead */
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
 * Starts a window.
 *
 * @param filter  the filter
 * @param bytes   bytes of the window
 * @param size    number of these bytes
 * @return        whether to use the filter for this window
 */
bool pm_pattern_filter_begin(struct pm_pattern_filter *filter, const uint8_t *bytes, size_t size);

/**
 * Returns the length of the sequence to search for.
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
 * @param end     end of the bytes, which contain the whole sequence
 * @return        offset of the place, or SIZE_MAX
 */
size_t pm_pattern_filter_next(struct pm_pattern_filter *filter, const uint8_t *bytes, size_t from,
                              size_t end);

/**
 * Tests whether there were too many places in the window up to an offset. PCRE2 searches the rest
 * of the window alone then.
 */
bool pm_pattern_filter_failed(struct pm_pattern_filter *filter, size_t at);

#endif
