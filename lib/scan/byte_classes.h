/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Classifies bytes: computes bit masks that tell for each of 64 bytes whether the byte is in a
 * class. Only this part of the search for text reads the bytes themselves; the rest is bit
 * arithmetic on these masks. Private.
 */
#ifndef PM_SCAN_BYTE_CLASSES_H
#define PM_SCAN_BYTE_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/simd.h"

/** Number of bytes that a mask describes. */
enum { PM_BLOCK = 64 };

/**
 * Maximum number of blocks that are classified at once: their bytes and masks stay in the L1 cache.
 */
enum { PM_BLOCKS = 64 };

/** Masks of the bytes of a block that have a meaning in UTF-8. */
struct pm_utf8_classes {
	uint64_t follow;     /**< 0x80 to 0xbf: the second and later bytes of a character */
	uint64_t follow_8;   /**< 0x80 to 0x8f */
	uint64_t follow_89;  /**< 0x80 to 0x9f */
	uint64_t lead_2;     /**< 0xc2 to 0xdf: first byte of a character of two bytes */
	uint64_t lead_3;     /**< 0xe0 to 0xef: first byte of a character of three bytes */
	uint64_t lead_4;     /**< 0xf0 to 0xf4: first byte of a character of four bytes */
	uint64_t lead_c2_e0; /**< 0xc2, 0xe0: the second byte must be 0xa0 or more (C1 controls;
	                        overlong forms) */
	uint64_t lead_ed;    /**< 0xed: the second byte must be below 0xa0 (surrogates) */
	uint64_t lead_f0;    /**< 0xf0: the second byte must be 0x90 or more (overlong forms) */
	uint64_t lead_f4;    /**< 0xf4: the second byte must be below 0x90 (above U+10FFFF) */
};

/**
 * Classes of the bytes of a chunk: one mask for each block, with bit i for byte i. The masks of the
 * block after the chunk are needed for characters that start in the chunk and end after it.
 */
struct pm_byte_classes {
	uint64_t printable[PM_BLOCKS + 1]; /**< 0x20 to 0x7e and tab; with `white` also newline,
	                                      vertical tab, form feed, carriage return */
	uint64_t zero[PM_BLOCKS + 1];      /**< 0 */
	uint64_t high[PM_BLOCKS + 1];      /**< 0x80 and above */
	struct pm_utf8_classes utf8[PM_BLOCKS + 1]; /**< valid where `multibyte` is true */
	bool multibyte[PM_BLOCKS + 1]; /**< the block has bytes from 0x80, and its classes of UTF-8
	                                  were requested */
};

/**
 * Blocks for which the classes of UTF-8 are determined. This takes longer than all other classes.
 */
enum pm_utf8_wish {
	PM_UTF8_NONE, /**< none */
	PM_UTF8_ALL,  /**< in all blocks */
	PM_UTF8_LONG, /**< in blocks that may contain part of a text of 2 * PM_BLOCK bytes or more;
	                 such a text fills the block itself or a neighbour */
};

/**
 * Determines the classes of bytes.
 *
 * @param bytes    blocks * PM_BLOCK bytes
 * @param blocks   number of blocks, at most PM_BLOCKS + 1
 * @param white    true: newline, vertical tab, form feed and carriage return count as printable
 * @param utf8     blocks for which to determine the classes of UTF-8; blocks outside of `bytes` are
 *                 assumed to be full of text
 * @param classes  filled
 */
typedef void pm_classify(const uint8_t *bytes, size_t blocks, bool white, enum pm_utf8_wish utf8,
                         struct pm_byte_classes *classes);

#if PM_SIMD_X86
/** The version for AVX2. */
pm_classify pm_classify_avx2;
#endif

/**
 * Returns the version for a level of vector instructions.
 * @param simd  the level, at most pm_simd_best()
 * @return      the version
 */
pm_classify *pm_classify_for(enum pm_simd simd);

#endif
