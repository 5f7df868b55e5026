/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The shape of the matches of a pattern: the length of the matches, and sequences of bytes that
 * every match contains. The shape is derived from the text of the pattern. The search finds the
 * rarest sequence with vector instructions, and calls PCRE2 only near the places where it occurs.
 * Every match has this shape, but not everything that has this shape is a match. Private.
 */
#ifndef PM_SCAN_PATTERN_SHAPE_H
#define PM_SCAN_PATTERN_SHAPE_H

#include "scan/byte_set.h"

enum {
	PM_SEQUENCE_MAX = 16, /**< maximum number of positions of a sequence */
	PM_REQUIRED_MAX = 4,  /**< maximum number of sequences of a pattern */
	PM_RUN_MIN = 8,       /**< minimum length of a run of bytes of the same set */
};

/** A sequence: consecutive positions, and the values that are possible at each of them. */
struct pm_sequence {
	size_t count;                             /**< number of positions */
	struct pm_byte_set sets[PM_SEQUENCE_MAX]; /**< the possible values of each position */
};

/** A sequence that every match contains. */
struct pm_required {
	struct pm_sequence bytes; /**< the sequence */
	/**
	 * If not 0, every match contains a run of this number of consecutive bytes, all of which
	 * have values that are possible at the first position of `bytes`.
	 */
	size_t run;
	size_t min_length;         /**< minimum number of bytes of the match before the sequence */
	size_t max_length;         /**< maximum number of bytes of the match before the sequence;
	                              SIZE_MAX if there is no maximum */
	struct pm_byte_set before; /**< possible values of the bytes of the match before the
	                              sequence */
};

/** The shape of all matches of a pattern. */
struct pm_pattern_shape {
	/**
	 * Maximum number of bytes, from the start of a match, that PCRE2 examines to find the
	 * match, including those of look-aheads. SIZE_MAX if there is no maximum.
	 */
	size_t reach;
	bool starts_in_zeros;                         /**< a match may start with a NUL byte */
	size_t required_count;                        /**< number of sequences in `required` */
	struct pm_required required[PM_REQUIRED_MAX]; /**< sequences that every match contains, the
	                                                 cheapest to search for first */
};

/**
 * Derives the shape of a pattern that PCRE2 has compiled.
 *
 * @param pattern  the pattern
 * @param length   length of the pattern in bytes
 * @param options  PCRE2 options with which the pattern was compiled
 * @param shape    receives the shape; if the parser does not understand the pattern, or there is
 *                 not enough memory, `reach` is SIZE_MAX, `starts_in_zeros` is true, and there are
 *                 no sequences
 */
void pm_pattern_shape_learn(const char *pattern, size_t length, unsigned options,
                            struct pm_pattern_shape *shape);

#endif
