/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What sort each byte is of, as bit masks of 64 bytes: the only part of the search for text that
 * looks at single bytes. All else is bit arithmetic on these masks. Private.
 */
#ifndef PM_SCAN_BYTE_CLASSES_H
#define PM_SCAN_BYTE_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/simd.h"

/** Bytes that a mask describes. */
enum { PM_BLOCK = 64 };

/**
 * Most blocks that are classified at a time: their bytes and masks stay in the first-level cache.
 */
enum { PM_BLOCKS = 64 };

/** Classes of UTF-8 in a block. */
struct pm_utf8_classes {
	uint64_t follow;     /**< 0x80 to 0xbf: the second and later bytes of a character */
	uint64_t follow_8;   /**< 0x80 to 0x8f */
	uint64_t follow_89;  /**< 0x80 to 0x9f */
	uint64_t lead_2;     /**< 0xc2 to 0xdf: begins two bytes */
	uint64_t lead_3;     /**< 0xe0 to 0xef: begins three */
	uint64_t lead_4;     /**< 0xf0 to 0xf4: begins four */
	uint64_t lead_c2_e0; /**< 0xc2, 0xe0: the second byte must be 0xa0 or more (C1 controls;
	                        overlong forms) */
	uint64_t lead_ed;    /**< 0xed: the second byte must be below 0xa0 (surrogates) */
	uint64_t lead_f0;    /**< 0xf0: the second byte must be 0x90 or more (overlong forms) */
	uint64_t lead_f4;    /**< 0xf4: the second byte must be below 0x90 (above U+10FFFF) */
};

/**
 * Classes of the bytes of a chunk: one mask for each block, bit i of which is byte i. The last
 * block is there for those that look ahead.
 */
struct pm_byte_classes {
	uint64_t printable[PM_BLOCKS + 1]; /**< 0x20 to 0x7e and tab; with `white` also newline,
	                                      vertical tab, form feed, carriage return */
	uint64_t zero[PM_BLOCKS + 1];      /**< 0 */
	uint64_t high[PM_BLOCKS + 1];      /**< 0x80 and above */
	struct pm_utf8_classes utf8[PM_BLOCKS + 1]; /**< filled where `multibyte` says so */
	bool multibyte[PM_BLOCKS +
	               1]; /**< `high` is not 0, and the classes of UTF-8 were asked for */
};

/** Where to fill the classes of UTF-8, which takes longer than all else. */
enum pm_utf8_wish {
	PM_UTF8_NONE, /**< nowhere */
	PM_UTF8_ALL,  /**< in all blocks */
	PM_UTF8_LONG, /**< where a text of 2 * PM_BLOCK bytes or more may be: it fills a block, or
	                 stands next to one that it fills */
};

/**
 * Sorts bytes into classes.
 *
 * @param bytes    blocks * PM_BLOCK bytes
 * @param blocks   how many blocks, at most PM_BLOCKS + 1
 * @param white    white space of all sorts is printable
 * @param utf8     where to fill the classes of UTF-8; blocks outside these bytes are taken to be
 * full
 * @param classes  filled
 */
typedef void pm_classify(const uint8_t *bytes, size_t blocks, bool white, enum pm_utf8_wish utf8,
                         struct pm_byte_classes *classes);

#if PM_SIMD_X86
/** The version of AVX2. */
pm_classify pm_classify_avx2;
#endif

/**
 * The function for a level.
 * @param simd the level, at most pm_simd_best()
 * @return the function
 */
pm_classify *pm_classify_for(enum pm_simd simd);

#endif
