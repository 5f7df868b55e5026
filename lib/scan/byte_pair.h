/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Searches for two bytes at a fixed distance, each of which has one of a set of values. The pattern
 * filter chooses the two rarest bytes that a match must contain, so most of the memory is read by
 * this search only. Private.
 */
#ifndef PM_SCAN_BYTE_PAIR_H
#define PM_SCAN_BYTE_PAIR_H

#include "scan/byte_set.h"
#include "scan/simd.h"

/** A set of byte values in the forms that the search uses. */
struct pm_byte_test {
	struct pm_byte_set set; /**< the set */
	bool masked;     /**< a value is in the set exactly if `(value & mask) == match`. This is
	                    possible for a single value, a letter in both cases, all values with the
	                    same high or low four bits, and all values */
	uint8_t mask;    /**< bits that are tested */
	uint8_t match;   /**< values of these bits */
	uint8_t low[16]; /**< for values below 0x80, indexed by their low four bits: bit i is set if
	                    the value with the high four bits i is in the set */
	uint8_t high[16]; /**< the same for values from 0x80: bit i is set if the value with the
	                     high four bits 8 + i is in the set */
	bool member[256]; /**< indexed by value: whether the value is in the set */
};

/**
 * Prepares a test for a set.
 * @param test  filled
 * @param set   the set; copied
 */
void pm_byte_test_init(struct pm_byte_test *test, const struct pm_byte_set *set);

/** Two tests for bytes at fixed offsets. Both tests may be for the same byte. */
struct pm_byte_pair {
	struct pm_byte_test tests[2]; /**< the tests */
	size_t offsets[2]; /**< offset of each byte from the place that is searched for */
};

/**
 * Finds the next place at which both tests succeed.
 *
 * @param pair   the tests
 * @param bytes  the bytes to search
 * @param from   offset of the first place
 * @param end    offset after the last place; the byte at `end` - 1 plus the larger of the two
 *               offsets must be readable
 * @return       offset of the place found, or `end`
 */
typedef size_t pm_byte_pair_find(const struct pm_byte_pair *pair, const uint8_t *bytes, size_t from,
                                 size_t end);

/**
 * Returns the fastest function for a pair and a level of vector instructions.
 * @param pair  the pair
 * @param simd  the level, at most pm_simd_best()
 * @return      the function
 */
pm_byte_pair_find *pm_byte_pair_find_for(const struct pm_byte_pair *pair, enum pm_simd simd);

#if PM_SIMD_X86
/**
 * The versions for AVX2. Bit 0 of the index: the first test is masked; bit 1: the second test is
 * masked.
 */
extern pm_byte_pair_find *const pm_byte_pair_find_avx2[4];
#endif

#endif
