/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What every match of a pattern looks like, learnt from the pattern: how long it is, and which
 * bytes it must contain at which places. The search then looks for the rarest of these bytes with
 * vector instructions and lets PCRE2 work only where they are. All of it are necessary conditions:
 * a match fulfils them, and what fulfils them need not be one. Private.
 */
#ifndef PM_SCAN_PATTERN_SHAPE_H
#define PM_SCAN_PATTERN_SHAPE_H

#include "scan/byte_set.h"

enum {
	PM_SEQUENCE_MAX = 16, /**< positions of a sequence that are kept */
	PM_REQUIRED_MAX = 4,  /**< sequences that are kept */
	PM_RUN_MIN = 8,       /**< bytes of the same sort from which on they are a run */
};

/** Consecutive positions, and what may stand at each. */
struct pm_sequence {
	size_t count;                             /**< positions in use */
	struct pm_byte_set sets[PM_SEQUENCE_MAX]; /**< the values of each */
};

/** A sequence that every match contains. */
struct pm_required {
	struct pm_sequence bytes; /**< it */
	size_t run; /**< so many bytes of the set of its first position follow each other; 0: that
	               is not known */
	size_t min_length;         /**< fewest bytes of the match before it */
	size_t max_length;         /**< most bytes of the match before it; SIZE_MAX without bound */
	struct pm_byte_set before; /**< what these bytes may be */
};

/** What is known of all matches. */
struct pm_pattern_shape {
	size_t reach; /**< bytes from its begin that decide about a match, those looked ahead at
	                 included; SIZE_MAX: no bound */
	bool starts_in_zeros;  /**< a match may begin with a NUL */
	size_t required_count; /**< sequences that are known, the most promising first */
	struct pm_required required[PM_REQUIRED_MAX]; /**< they */
};

/**
 * Learns the shape of a pattern that PCRE2 has compiled.
 *
 * @param pattern  the pattern
 * @param length   its bytes
 * @param options  that it was compiled with
 * @param shape    filled; nothing but "no bound" where the pattern is not understood or memory is
 * short
 */
void pm_pattern_shape_learn(const char *pattern, size_t length, unsigned options,
                            struct pm_pattern_shape *shape);

#endif
