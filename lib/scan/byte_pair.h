/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Searching for two bytes at a fixed distance, each of a set of values: the two rarest that a match
 * must contain. Most of the memory is searched by this function only. Private.
 */
#ifndef PM_SCAN_BYTE_PAIR_H
#define PM_SCAN_BYTE_PAIR_H

#include "scan/byte_set.h"
#include "scan/simd.h"

/** A set in the forms in which it is tested. */
struct pm_byte_test {
	struct pm_byte_set set; /**< the set */
	bool masked;   /**< the values are exactly those with `value & mask == match`: one, a letter
	                  in both cases, half a byte, all */
	uint8_t mask;  /**< bits that are tested */
	uint8_t match; /**< values of these bits */
	uint8_t low[16];  /**< by the low four bits: a bit for each value below 0x80 with these, by
	                     its high four bits */
	uint8_t high[16]; /**< the same for 0x80 and above */
	bool member[256]; /**< by value */
};

/**
 * Prepares a test for a set.
 * @param test  filled
 * @param set   the set; copied
 */
void pm_byte_test_init(struct pm_byte_test *test, const struct pm_byte_set *set);

/** Two tests. Both may be for the same byte. */
struct pm_byte_pair {
	struct pm_byte_test tests[2]; /**< the tests */
	size_t offsets[2];            /**< offset of each byte from the place that is found */
};

/**
 * Finds the next place.
 *
 * @param pair   the tests
 * @param bytes  the bytes to search
 * @param from   offset of the first place
 * @param end    end of the places; all bytes up to `end` - 1 plus the larger offset are readable
 * @return       offset of the place found, or `end`
 */
typedef size_t pm_byte_pair_find(const struct pm_byte_pair *pair, const uint8_t *bytes, size_t from,
                                 size_t end);

/**
 * Returns the function for a pair and a level.
 * @param pair  the pair
 * @param simd  the level, at most pm_simd_best()
 * @return      the function
 */
pm_byte_pair_find *pm_byte_pair_find_for(const struct pm_byte_pair *pair, enum pm_simd simd);

#if PM_SIMD_X86
/** The versions for AVX2, by which of the two tests are masked: bit 0 the first, bit 1 the second.
 */
extern pm_byte_pair_find *const pm_byte_pair_find_avx2[4];
#endif

#endif
