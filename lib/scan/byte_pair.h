/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Searches for two bytes at a fixed distance. Each of them must be in a set of values. The pattern
 * filter chooses the two rarest bytes that a match must contain. In most of the memory no such pair
 * is found, so only this search reads it. Private.
 */
#ifndef PM_SCAN_BYTE_PAIR_H
#define PM_SCAN_BYTE_PAIR_H

#include "scan/byte_set.h"
#include "scan/simd.h"

/** A set of byte values in the forms that the search uses. */
struct pm_byte_test {
	struct pm_byte_set set; /**< the set */
	/**
	 * A value is in the set if, and only if, `(value & mask) == match`. This is so, for
	 * example, for a single value, for a letter in both cases, and for all values.
	 */
	bool masked;
	uint8_t mask;  /**< bits of a value that are equal in all values of the set */
	uint8_t match; /**< the values of these bits; all other bits are 0 */
	/**
	 * For values below 0x80, indexed by the low four bits of a value: bit i is set if the value
	 * with these low bits and the high four bits i is in the set.
	 */
	uint8_t low[16];
	/**
	 * For values from 0x80, indexed by the low four bits of a value: bit i is set if the value
	 * with these low bits and the high four bits 8 + i is in the set.
	 */
	uint8_t high[16];
	bool member[256]; /**< indexed by value: true if the value is in the set */
};

/**
 * Prepares a test for a set.
 * @param test  filled
 * @param set   the set; copied
 */
void pm_byte_test_init(struct pm_byte_test *test, const struct pm_byte_set *set);

/**
 * Two tests for bytes at fixed offsets from a place. A place is an offset in the bytes to search.
 * Both tests may be for the same byte.
 */
struct pm_byte_pair {
	struct pm_byte_test tests[2]; /**< the tests */
	size_t offsets[2];            /**< for each test, the offset of its byte from the place */
};

/**
 * Finds the first place in `[from, end)` at which both tests succeed.
 *
 * @param pair   the tests
 * @param bytes  the bytes to search
 * @param from   the first place to test
 * @param end    the place after the last one to test; the bytes that the tests examine for place
 *               `end` - 1 must be readable
 * @return       the place found; `end` if there is none
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
 * The versions of pm_byte_pair_find for AVX2. Bit 0 of the index is set if the first test is
 * masked, bit 1 if the second test is masked.
 */
extern pm_byte_pair_find *const pm_byte_pair_find_avx2[4];
#endif

#endif
