/* SPDX-License-Identifier: MIT */
/**
 * @file Computes the shape of the matches of a part of a pattern, and joins the shapes of parts.
 * Private to pattern_shape.c.
 */
#ifndef PM_SCAN_PATTERN_PART_H
#define PM_SCAN_PATTERN_PART_H

#include "scan/pattern_shape.h"

enum {
	PM_SETS_MAX = 255, /**< maximum number of different sets of bytes */
	PM_SET_ALL = 0,  /**< number of the set of all values; also used for a set that there is no
	                    room for */
	PM_SET_NONE = 1, /**< number of the empty set */
};

/**
 * The sets of byte values in a pattern, without duplicates. The first two are PM_SET_ALL and
 * PM_SET_NONE.
 */
struct pm_part_sets {
	size_t count;                         /**< number of sets */
	struct pm_byte_set sets[PM_SETS_MAX]; /**< the sets */
	double shares[PM_SETS_MAX];           /**< pm_byte_set_share() of each set */
};

/** A sequence of positions. Each position has the number of a set. */
struct pm_row {
	uint8_t count;                 /**< positions in use */
	uint8_t sets[PM_SEQUENCE_MAX]; /**< number of the set of each position */
};

/** A sequence that every match of a part contains. */
struct pm_needed {
	struct pm_row row; /**< the sequence */
	size_t min_length; /**< minimum number of bytes of the match before the sequence */
	size_t max_length; /**< maximum number of bytes of the match before the sequence; SIZE_MAX:
	                      no bound */
	size_t run; /**< if not 0, the sequence is a run: this number of bytes of the first set */
	uint8_t before; /**< number of the set of the values that these bytes can have */
	double score;   /**< estimated cost of searching for it; lower is better */
};

/** The shape of a part of the pattern. A length of SIZE_MAX has no bound. */
struct pm_part {
	size_t min_length;   /**< minimum number of bytes that the part matches */
	size_t max_length;   /**< maximum number of bytes that the part matches */
	uint8_t any;         /**< number of the set of all values that the part can match */
	struct pm_row first; /**< the first positions, as long as their offsets are fixed */
	struct pm_row last;  /**< the last positions, as long as their distance from the end of the
	                        match is fixed */
	size_t needed_count; /**< number of sequences in `needed` */
	struct pm_needed needed[PM_REQUIRED_MAX]; /**< the sequences, the best first */
};

/**
 * Adds two lengths.
 *
 * @param a  a length
 * @param b  a length
 * @return   the sum; SIZE_MAX if one of them has no bound, or the sum overflows
 */
size_t pm_length_sum(size_t a, size_t b);

/**
 * Returns the number of a set. Adds the set if it is new.
 *
 * @param sets  all sets
 * @param set   the set
 * @return      the number of the set; PM_SET_ALL if there is no room
 */
uint8_t pm_part_set(struct pm_part_sets *sets, const struct pm_byte_set *set);

/**
 * Adds a sequence to those that every match contains. The sequence starts after the part `before`,
 * or in its last bytes.
 *
 * @param sets    all sets
 * @param part    the part; the sequence is added if it is among the best
 * @param row     the sequence
 * @param before  the part of the pattern before the sequence
 * @param back    number of bytes at the end of `before` that belong to the sequence
 */
void pm_part_add_row(const struct pm_part_sets *sets, struct pm_part *part,
                     const struct pm_row *row, const struct pm_part *before, size_t back);

/**
 * Appends a part.
 *
 * @param sets  all sets
 * @param part  becomes the concatenation of both parts
 * @param next  the part after it
 */
void pm_part_append(struct pm_part_sets *sets, struct pm_part *part, const struct pm_part *next);

/**
 * Unites two alternatives: each position can have the values of both parts.
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
