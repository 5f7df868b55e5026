/* SPDX-License-Identifier: MIT */
/**
 * @file What is known of the matches of a part of a pattern, and of several parts put together.
 * Private to pattern_shape.c.
 */
#ifndef PM_SCAN_PATTERN_PART_H
#define PM_SCAN_PATTERN_PART_H

#include "scan/pattern_shape.h"

enum {
	PM_SETS_MAX = 255, /**< different sets of bytes that are told from each other */
	PM_SET_ALL = 0, /**< number of the set of all values, which also stands for those that there
	                   was no room for */
	PM_SET_NONE = 1, /**< number of the empty set */
};

/** The sets of bytes in a pattern, each once. The first two are PM_SET_ALL and PM_SET_NONE. */
struct pm_part_sets {
	size_t count;                         /**< how many */
	struct pm_byte_set sets[PM_SETS_MAX]; /**< they */
	double shares[PM_SETS_MAX];           /**< pm_byte_set_share() of each */
};

/** A sequence by the numbers of its sets. */
struct pm_row {
	uint8_t count;                 /**< positions in use */
	uint8_t sets[PM_SEQUENCE_MAX]; /**< the set of each */
};

/** A sequence that every match has. */
struct pm_needed {
	struct pm_row row; /**< it */
	size_t min_length; /**< fewest bytes before it */
	size_t max_length; /**< most bytes before it; SIZE_MAX without bound */
	size_t run;        /**< so many bytes of the first set; 0: that is not known */
	uint8_t before;    /**< set of what these bytes may be */
	double score;      /**< the lower, the better */
};

/** What is known of a part of the pattern. A length of SIZE_MAX has no bound. */
struct pm_part {
	size_t min_length;   /**< fewest bytes that it matches */
	size_t max_length;   /**< most bytes that it matches */
	uint8_t any;         /**< set of all bytes that it may match */
	struct pm_row first; /**< what it begins with, as far as that has a fixed place */
	struct pm_row last;  /**< what it ends with */
	size_t needed_count; /**< sequences that are known */
	struct pm_needed needed[PM_REQUIRED_MAX]; /**< they, the best first */
};

/**
 * Adds lengths.
 * @param a, b they
 * @return the sum; SIZE_MAX where one of them or it has no bound
 */
size_t pm_length_sum(size_t a, size_t b);

/**
 * Number of a set, which is added if it is new.
 * @param sets all of them
 * @param set it
 * @return the number
 */
uint8_t pm_part_set(struct pm_part_sets *sets, const struct pm_byte_set *set);

/**
 * Adds a sequence that begins behind `before`.
 *
 * @param sets    all of them
 * @param part    gets it, if it is among the best
 * @param row     it
 * @param before  what precedes it
 * @param back    so many bytes of that are its own already
 */
void pm_part_add_row(const struct pm_part_sets *sets, struct pm_part *part,
                     const struct pm_row *row, const struct pm_part *before, size_t back);

/**
 * One part behind the other.
 * @param sets all of them
 * @param part becomes both
 * @param next what comes behind
 */
void pm_part_append(struct pm_part_sets *sets, struct pm_part *part, const struct pm_part *next);

/**
 * One part or the other: at each place what either has there.
 * @param sets all of them
 * @param part becomes that
 * @param other the other
 */
void pm_part_unite(struct pm_part_sets *sets, struct pm_part *part, const struct pm_part *other);

/**
 * A part several times.
 * @param sets all of them
 * @param part becomes that
 * @param least fewest times
 * @param most most times
 */
void pm_part_repeat(struct pm_part_sets *sets, struct pm_part *part, size_t least, size_t most);

#endif
