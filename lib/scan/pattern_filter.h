/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Where a match can be at all: the places of the rarest sequence that every match contains. What is
 * rare is counted in the target's own bytes, and where nothing is, PCRE2 searches alone: a call of
 * it at every common place would be slower. Private.
 */
#ifndef PM_SCAN_PATTERN_FILTER_H
#define PM_SCAN_PATTERN_FILTER_H

#include "scan/byte_pair.h"
#include "scan/pattern_shape.h"

/** The filter of one pattern in one thread. */
struct pm_pattern_filter {
	const struct pm_pattern_shape *shape; /**< of the pattern */
	enum pm_simd simd;                    /**< instructions to use */
	const struct pm_required *required;   /**< the sequence that is looked for, NULL: none */
	size_t tolerated; /**< bytes per place that are worth it: below that, PCRE2 is faster alone
	                   */
	uint64_t until;   /**< bytes that are searched before it is chosen anew */
	size_t places;    /**< found in this window */
	size_t visits;    /**< pairs found in this window */
	struct pm_byte_pair pair; /**< the two positions of it that are searched for */
	pm_byte_pair_find *find;  /**< how */
	size_t run; /**< not 0: a run of so many bytes of the first test is searched for instead */
};

/**
 * Starts.
 * @param filter filled
 * @param shape must outlive it
 * @param simd at most pm_simd_best()
 */
void pm_pattern_filter_init(struct pm_pattern_filter *filter, const struct pm_pattern_shape *shape,
                            enum pm_simd simd);

/**
 * Begins a window.
 *
 * @param filter  the filter
 * @param bytes   the window
 * @param size    its bytes
 * @return        whether to use the filter for it
 */
bool pm_pattern_filter_begin(struct pm_pattern_filter *filter, const uint8_t *bytes, size_t size);

/**
 * Bytes of the sequence that is looked for.
 * @param filter one that is in use
 * @return at least 1
 */
static inline size_t pm_pattern_filter_length(const struct pm_pattern_filter *filter)
{
	return filter->run ? filter->run : filter->required->bytes.count;
}

/**
 * Finds the next place of the sequence.
 *
 * @param filter  the filter
 * @param bytes   the window
 * @param from    first place that counts
 * @param end     end of the bytes, in which the sequence must lie as a whole
 * @return        the place, or SIZE_MAX
 */
size_t pm_pattern_filter_next(struct pm_pattern_filter *filter, const uint8_t *bytes, size_t from,
                              size_t end);

/** Whether there were too many places in the window up to an offset: PCRE2 alone goes on then. */
bool pm_pattern_filter_failed(struct pm_pattern_filter *filter, size_t at);

#endif
