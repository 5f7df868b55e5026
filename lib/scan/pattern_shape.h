/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The shape of the matches of a pattern: their length, and the bytes that they must contain. It is
 * derived from the pattern. The search finds the rarest of these bytes with vector instructions,
 * and calls PCRE2 only where they occur. Every match has this shape, but not everything that has
 * this shape is a match. Private.
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
	size_t count;                             /**< positions in use */
	struct pm_byte_set sets[PM_SEQUENCE_MAX]; /**< the possible values of each position */
};

/** A sequence that every match contains. */
struct pm_required {
	struct pm_sequence bytes; /**< the sequence */
	size_t run; /**< if not 0, the sequence is a run: this number of bytes that all have values
	               of its first position */
	size_t min_length; /**< minimum number of bytes of the match before the sequence */
	size_t max_length; /**< maximum number of bytes of the match before the sequence; SIZE_MAX:
	                      no bound */
	struct pm_byte_set before; /**< possible values of these bytes of the match */
};

/** The shape of all matches of a pattern. */
struct pm_pattern_shape {
	size_t reach; /**< number of bytes from the start of a match that PCRE2 needs to find it,
	                 including look-aheads; SIZE_MAX: no bound */
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
 * @param shape    filled; has no bounds and no sequences if the parser does not understand the
 *                 pattern, or there is not enough memory
 */
void pm_pattern_shape_learn(const char *pattern, size_t length, unsigned options,
                            struct pm_pattern_shape *shape);

#endif
