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
	PM_SET_ALL = 0,    /**< number of the set of all values; also used for other sets if there
	                      are PM_SETS_MAX sets already */
	PM_SET_NONE = 1,   /**< number of the empty set */
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

/** A sequence of positions. Each position is the number of a set in pm_part_sets. */
struct pm_row {
	uint8_t count;                 /**< number of positions */
	uint8_t sets[PM_SEQUENCE_MAX]; /**< for each position, the number of the set of its
	                                  possible values */
};

/** A sequence, or a run, that every match of a part contains. */
struct pm_needed {
	struct pm_row row; /**< the sequence */
	size_t min_length; /**< minimum number of bytes of the match before the sequence */
	size_t max_length; /**< maximum number of bytes of the match before the sequence;
	                      SIZE_MAX if there is no maximum */
	/**
	 * If not 0, every match contains a run of this number of consecutive bytes, all of which
	 * are in the first set of `row`.
	 */
	size_t run;
	uint8_t before; /**< number of the set of the values that bytes of the match before the
	                   sequence can have */
	double score;   /**< estimated cost of searching for the sequence; lower is better */
};

/**
 * The shape of the matches of a part of the pattern. A maximum length of SIZE_MAX means that there
 * is no maximum.
 */
struct pm_part {
	size_t min_length;   /**< minimum number of bytes that the part matches */
	size_t max_length;   /**< maximum number of bytes that the part matches */
	uint8_t any;         /**< number of the set of the values that the bytes of a match can
	                        have */
	struct pm_row first; /**< the first positions of all matches, up to the first byte with
	                        an offset that is not the same in all matches */
	/**
	 * The last positions of all matches: the bytes with a distance from the end of the match
	 * that is the same in all matches.
	 */
	struct pm_row last;
	size_t needed_count;                      /**< number of sequences in `needed` */
	struct pm_needed needed[PM_REQUIRED_MAX]; /**< the sequences, by ascending score */
};

/**
 * Adds two lengths in bytes.
 *
 * @param a  a length
 * @param b  a length
 * @return   the sum; SIZE_MAX if one of the lengths is SIZE_MAX, or the sum is too large
 */
size_t pm_length_sum(size_t a, size_t b);

/**
 * Returns the number of a set. Adds the set if it is new.
 *
 * @param sets  all sets
 * @param set   the set
 * @return      the number of the set; PM_SET_ALL if there are PM_SETS_MAX other sets
 */
uint8_t pm_part_set(struct pm_part_sets *sets, const struct pm_byte_set *set);

/**
 * Adds a sequence to pm_part.needed. In every match, the sequence starts `back` bytes before the
 * end of the part `before`.
 *
 * @param sets    all sets
 * @param part    the part; not changed if PM_REQUIRED_MAX better sequences are known
 * @param row     the sequence
 * @param before  the part of the pattern before the sequence
 * @param back    number of bytes at the end of `before` that belong to the sequence
 */
void pm_part_add_row(const struct pm_part_sets *sets, struct pm_part *part,
                     const struct pm_row *row, const struct pm_part *before, size_t back);

/**
 * Appends a part to another one.
 *
 * @param sets  all sets
 * @param part  the first part; receives the shape of both parts, one after the other
 * @param next  the second part
 */
void pm_part_append(struct pm_part_sets *sets, struct pm_part *part, const struct pm_part *next);

/**
 * Computes the shape of a part that matches either of two alternatives. The sequences in
 * pm_part.needed are lost.
 *
 * @param sets   all sets
 * @param part   one alternative; receives the shape of both
 * @param other  the other alternative
 */
void pm_part_unite(struct pm_part_sets *sets, struct pm_part *part, const struct pm_part *other);

/**
 * Computes the shape of a part that is repeated.
 *
 * @param sets  all sets
 * @param part  the part that is repeated; receives the shape of the repetition
 * @param min   minimum number of repetitions
 * @param max   maximum number of repetitions; SIZE_MAX if there is no maximum
 */
void pm_part_repeat(struct pm_part_sets *sets, struct pm_part *part, size_t min, size_t max);

#endif
