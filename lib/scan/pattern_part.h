/* SPDX-License-Identifier: MIT */
/**
 * @file The shape of the matches of a part of a pattern, and of several parts together. Private to
 * pattern_shape.c.
 */
#ifndef PM_SCAN_PATTERN_PART_H
#define PM_SCAN_PATTERN_PART_H

#include "scan/pattern_shape.h"

enum {
	PM_SETS_MAX = 255, /**< maximum number of different sets of bytes */
	PM_SET_ALL = 0, /**< number of the set of all values, which also replaces sets that there is
	                   no room for */
	PM_SET_NONE = 1, /**< number of the empty set */
};

/** The sets of bytes in a pattern, each once. The first two are PM_SET_ALL and PM_SET_NONE. */
struct pm_part_sets {
	size_t count;                         /**< number of sets */
	struct pm_byte_set sets[PM_SETS_MAX]; /**< the sets */
	double shares[PM_SETS_MAX];           /**< pm_byte_set_share() of each */
};

/** A sequence by the numbers of its sets. */
struct pm_row {
	uint8_t count;                 /**< positions in use */
	uint8_t sets[PM_SEQUENCE_MAX]; /**< number of the set of each position */
};

/** A sequence that every match contains. */
struct pm_needed {
	struct pm_row row; /**< the sequence */
	size_t min_length; /**< minimum of bytes before it */
	size_t max_length; /**< maximum of bytes before it; SIZE_MAX without bound */
	size_t run;        /**< length of a run of the first set; 0 if it is not a run */
	uint8_t before;    /**< set of the bytes before it */
	double score;      /**< the lower, the better */
};

/** The shape of a part of the pattern. A length of SIZE_MAX has no bound. */
struct pm_part {
	size_t min_length;   /**< minimum of bytes that it matches */
	size_t max_length;   /**< maximum of bytes that it matches */
	uint8_t any;         /**< set of all bytes that it may match */
	struct pm_row first; /**< its start, as far as that has fixed positions */
	struct pm_row last;  /**< its end, likewise */
	size_t needed_count; /**< sequences that are known */
	struct pm_needed needed[PM_REQUIRED_MAX]; /**< these sequences, the best first */
};

/**
 * Adds lengths.
 *
 * @param a  a length
 * @param b  a length
 * @return   the sum; SIZE_MAX if one of them has no bound, or the sum overflows
 */
size_t pm_length_sum(size_t a, size_t b);

/**
 * Returns the number of a set, which is added if it is new.
 *
 * @param sets  all sets
 * @param set   the set
 * @return      its number
 */
uint8_t pm_part_set(struct pm_part_sets *sets, const struct pm_byte_set *set);

/**
 * Adds a sequence that starts after `before`.
 *
 * @param sets    all sets
 * @param part    the part; the sequence is added if it is among the best
 * @param row     the sequence
 * @param before  the part before it
 * @param back    bytes at the end of `before` that belong to the sequence
 */
void pm_part_add_row(const struct pm_part_sets *sets, struct pm_part *part,
                     const struct pm_row *row, const struct pm_part *before, size_t back);

/**
 * Appends a part.
 *
 * @param sets  all sets
 * @param part  becomes both parts
 * @param next  the part after it
 */
void pm_part_append(struct pm_part_sets *sets, struct pm_part *part, const struct pm_part *next);

/**
 * Unites alternatives: each position has the bytes of both parts.
 *
 * @param sets   all sets
 * @param part   becomes the union
 * @param other  the other part
 */
void pm_part_unite(struct pm_part_sets *sets, struct pm_part *part, const struct pm_part *other);

/**
 * Repeats a part.
 *
 * @param sets  all sets
 * @param part  becomes the repetition
 * @param min   minimum number of times
 * @param max   maximum number of times
 */
void pm_part_repeat(struct pm_part_sets *sets, struct pm_part *part, size_t min, size_t max);

#endif
