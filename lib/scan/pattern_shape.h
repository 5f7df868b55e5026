/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The shape of all matches of a pattern, derived from the pattern: their length, and the bytes that
 * they must contain. The search finds the rarest of these bytes with vector instructions, and calls
 * PCRE2 only there. These conditions are necessary, not sufficient: each match fulfils them, and
 * other bytes may, too. Private.
 */
#ifndef PM_SCAN_PATTERN_SHAPE_H
#define PM_SCAN_PATTERN_SHAPE_H

#include "scan/byte_set.h"

enum {
	PM_SEQUENCE_MAX = 16, /**< positions of a sequence that are kept */
	PM_REQUIRED_MAX = 4,  /**< sequences that are kept */
	PM_RUN_MIN = 8,       /**< minimum length of a run of bytes of the same set */
};

/** Consecutive positions, and the values that are possible at each. */
struct pm_sequence {
	size_t count;                             /**< positions in use */
	struct pm_byte_set sets[PM_SEQUENCE_MAX]; /**< the values of each */
};

/** A sequence that every match contains. */
struct pm_required {
	struct pm_sequence bytes; /**< the sequence */
	size_t run; /**< length of a run of bytes of the set of its first position; 0 if it is not a
	               run */
	size_t min_length; /**< minimum of bytes of the match before it */
	size_t max_length; /**< maximum of bytes of the match before it; SIZE_MAX without bound */
	struct pm_byte_set before; /**< possible values of these bytes */
};

/** The shape of all matches. */
struct pm_pattern_shape {
	size_t reach; /**< bytes from the start of a match that PCRE2 needs, including look-aheads;
	                 SIZE_MAX: no bound */
	bool starts_in_zeros;                         /**< a match may start with a NUL */
	size_t required_count;                        /**< number of sequences */
	struct pm_required required[PM_REQUIRED_MAX]; /**< sequences, the most promising first */
};

/**
 * Derives the shape of a pattern that PCRE2 has compiled.
 *
 * @param pattern  the pattern
 * @param length   its length in bytes
 * @param options  the options that it was compiled with
 * @param shape    filled; without bounds and sequences if the pattern is not understood, or memory
 *                 is short
 */
void pm_pattern_shape_learn(const char *pattern, size_t length, unsigned options,
                            struct pm_pattern_shape *shape);

#endif
