/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Classifies bytes. A class is a set of byte values, such as the printable characters. A mask is a
 * 64-bit number for a class and a block of 64 bytes: bit i is set if byte i is in the class. The
 * search for text reads the bytes only to compute masks, and then works with the masks. Private.
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

/** Masks of a block for the classes of bytes that UTF-8 distinguishes. */
struct pm_utf8_classes {
	uint64_t follow;    /**< 0x80 to 0xbf: the second and later bytes of a character */
	uint64_t follow_8;  /**< 0x80 to 0x8f */
	uint64_t follow_89; /**< 0x80 to 0x9f */
	uint64_t lead_2;    /**< 0xc2 to 0xdf: first byte of a character of two bytes */
	uint64_t lead_3;    /**< 0xe0 to 0xef: first byte of a character of three bytes */
	uint64_t lead_4;    /**< 0xf0 to 0xf4: first byte of a character of four bytes */
	/**
	 * 0xc2 and 0xe0. The second byte must be 0xa0 or more: smaller ones encode C1 controls
	 * after 0xc2, and overlong forms after 0xe0.
	 */
	uint64_t lead_c2_e0;
	uint64_t lead_ed; /**< 0xed: the second byte must be below 0xa0, as others are surrogates */
	uint64_t lead_f0; /**< 0xf0: the second byte must be 0x90 or more, as others are overlong
	                     forms */
	uint64_t lead_f4; /**< 0xf4: the second byte must be below 0x90, as others encode numbers
	                     above U+10FFFF */
};

/**
 * Classes of the bytes of a chunk. Each array has one element for each block of the chunk, and one
 * for the block after the chunk, which is needed for characters that start in the chunk and end
 * after it.
 */
struct pm_byte_classes {
	/**
	 * 0x20 to 0x7e and tab; if `white` was passed to pm_classify, also newline, vertical tab,
	 * form feed and carriage return
	 */
	uint64_t printable[PM_BLOCKS + 1];
	uint64_t zero[PM_BLOCKS + 1]; /**< 0 */
	uint64_t high[PM_BLOCKS + 1]; /**< 0x80 to 0xff */
	struct pm_utf8_classes
		/** valid for the blocks for which `multibyte` is true */
		utf8[PM_BLOCKS + 1];
	/**
	 * The block has a byte from 0x80 to 0xff, and `utf8` was computed. Not set if PM_UTF8_NONE
	 * was passed to pm_classify.
	 */
	bool multibyte[PM_BLOCKS + 1];
};

/**
 * Selects the blocks for which pm_classify computes `utf8`, which takes longer than all other
 * classes.
 */
enum pm_utf8_wish {
	PM_UTF8_NONE, /**< no blocks */
	PM_UTF8_ALL,  /**< all blocks */
	/**
	 * blocks that may contain part of a text of 2 * PM_BLOCK bytes or more: blocks that consist
	 * of text only, and their neighbours
	 */
	PM_UTF8_LONG,
};

/**
 * Determines the classes of bytes.
 *
 * @param bytes    blocks * PM_BLOCK bytes
 * @param blocks   number of blocks, at most PM_BLOCKS + 1
 * @param white    true: newline, vertical tab, form feed and carriage return count as printable
 * @param utf8     blocks for which to compute the classes of UTF-8; the blocks directly before and
 *                 after `bytes` are assumed to consist of text only
 * @param classes  receives the masks
 */
typedef void pm_classify(const uint8_t *bytes, size_t blocks, bool white, enum pm_utf8_wish utf8,
                         struct pm_byte_classes *classes);

#if PM_SIMD_X86
/** The version of pm_classify for AVX2. */
pm_classify pm_classify_avx2;
#endif

/**
 * Returns the version of pm_classify for a level of vector instructions.
 * @param simd  the level, at most pm_simd_best()
 * @return      the version
 */
pm_classify *pm_classify_for(enum pm_simd simd);

#endif
