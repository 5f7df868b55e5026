/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the next block of bytes in which a number starts that a test accepts. In most of the memory
 * there is none, so only this search reads it. Private.
 */
#ifndef PM_SCAN_NUMBER_FIND_H
#define PM_SCAN_NUMBER_FIND_H

#include <procmem/number_test.h>

#include "scan/simd.h"

/** Number of offsets of a block. A multiple of all sizes of numbers. */
enum { PM_NUMBER_BLOCK = 64 };

/**
 * Finds the first block in which a number starts that the test accepts.
 *
 * @param test  the test; its type, size and alignment are those of the function
 * @param bytes the bytes to search
 * @param from  first offset to test; if only aligned numbers are searched, the offset of one
 * @param end   the offset after the last one to test; the `size` - 1 bytes from there must be
 *              readable
 * @return      offset of the block: `from` plus a multiple of PM_NUMBER_BLOCK. If the rest is
 *              smaller than a block, the offset of the rest, which is not tested
 */
typedef size_t pm_number_find(const struct pm_number_test *test, const uint8_t *bytes, size_t from,
                              size_t end);

/** The functions of a level of vector instructions. */
struct pm_number_finders {
	/**
	 * Indexed by whether only aligned numbers are found, whether the test is for one value
	 * only, and the binary logarithm of the size
	 */
	pm_number_find *integers[2][2][4];
	/** As `integers`, but the last index is 0 for 4 bytes and 1 for 8 bytes */
	pm_number_find *floats[2][2][2];
};

/**
 * Returns the fastest function for a test.
 *
 * @param test     a valid test
 * @param aligned  whether numbers are found only at offsets that differ from `from` by multiples of
 *                 their size
 * @param simd     the level, at most pm_simd_best()
 * @return         the function
 */
pm_number_find *pm_number_find_for(const struct pm_number_test *test, bool aligned,
                                   enum pm_simd simd);

#if PM_SIMD_X86
/** The functions for AVX2. */
extern const struct pm_number_finders pm_number_find_avx2;
#endif

#endif
