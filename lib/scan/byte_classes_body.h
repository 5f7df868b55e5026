/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The body of the three versions of pm_classify. Before a file includes this header, it defines
 * VECTOR, the size of a vector register in bytes.
 *
 * The comparisons use the vector types of GCC and Clang, so all versions share their source. Only
 * the function that gathers one bit of each byte differs. Each version has its own VECTOR, because
 * the compilers produce slow code for vectors that are wider than the registers. Private.
 */
#include "scan/byte_classes.h"

enum { VECTORS = PM_BLOCK / VECTOR };

typedef int8_t vector __attribute__((vector_size(VECTOR)));

/** A vector that need not be aligned. */
typedef int8_t unaligned __attribute__((vector_size(VECTOR), aligned(1), may_alias));

/**
 * Returns a mask of the bytes of a vector that are negative, which in the result of a comparison
 * are those for which it is true. The vector is passed by address, because how vectors are passed
 * by value depends on the compiler options.
 */
typedef uint32_t gather(const vector *result);

#define PM_INLINE static inline __attribute__((always_inline))

/*
 * The products below are offsets in a block, so they do not overflow.
 * NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)
 */

/**
 * Computes the masks of block `at` that every encoding needs. The bytes are compared as signed
 * numbers, so 0x80 to 0xff are negative.
 */
PM_INLINE void classify_plain(const uint8_t *bytes, bool white, struct pm_byte_classes *classes,
                              size_t at, gather *bits)
{
	uint64_t printable = 0, zero = 0, high = 0;
	for (unsigned i = 0; i < VECTORS; i++) {
		vector b = *(const unaligned *)(bytes + i * VECTOR);
		vector is_printable = ((b > 0x1f) & (b != 0x7f)) | (b == '\t'), is_zero = b == 0;
		if (white)
			is_printable |= (b > 0x08) & (b < 0x0e);
		printable |= (uint64_t)bits(&is_printable) << (i * VECTOR);
		zero |= (uint64_t)bits(&is_zero) << (i * VECTOR);
		high |= (uint64_t)bits(&b) << (i * VECTOR);
	}
	classes->printable[at] = printable;
	classes->zero[at] = zero;
	classes->high[at] = high;
}

/** Computes the mask of a block: bit i is set if the comparison is true for byte i. */
#define PM_MASK(comparison)                                                  \
	({                                                                   \
		uint64_t mask = 0;                                           \
		for (unsigned i = 0; i < VECTORS; i++) {                     \
			vector b = *(const unaligned *)(bytes + i * VECTOR); \
			vector result = comparison;                          \
			mask |= (uint64_t)bits(&result) << (i * VECTOR);     \
		}                                                            \
		mask;                                                        \
	})

PM_INLINE void classify_utf8(const uint8_t *bytes, uint64_t high, struct pm_utf8_classes *classes,
                             gather *bits)
{
	/* The lead bytes of characters of the same length are between two of these bounds. The
	 * comparisons are signed, so ASCII bytes are above all bounds; `high` excludes them. */
	uint64_t above_c1 = PM_MASK(b > (int8_t)0xc1) & high,
		 above_df = PM_MASK(b > (int8_t)0xdf) & high;
	uint64_t above_ef = PM_MASK(b > (int8_t)0xef) & high,
		 above_f4 = PM_MASK(b > (int8_t)0xf4) & high;
	classes->follow = PM_MASK(b < (int8_t)0xc0);
	classes->follow_8 = PM_MASK(b < (int8_t)0x90);
	classes->follow_89 = PM_MASK(b < (int8_t)0xa0);
	classes->lead_2 = above_c1 & ~above_df;
	classes->lead_3 = above_df & ~above_ef;
	classes->lead_4 = above_ef & ~above_f4;
	classes->lead_c2_e0 = PM_MASK((b == (int8_t)0xc2) | (b == (int8_t)0xe0));
	classes->lead_ed = PM_MASK(b == (int8_t)0xed);
	classes->lead_f0 = PM_MASK(b == (int8_t)0xf0);
	classes->lead_f4 = PM_MASK(b == (int8_t)0xf4);
}

/**
 * Tests whether all bytes of a block are printable or 0x80 to 0xff, so that it may consist of text
 * only.
 */
PM_INLINE bool is_full(const struct pm_byte_classes *classes, size_t i)
{
	return (classes->printable[i] | classes->high[i]) == ~UINT64_C(0);
}

/**
 * Tests whether PM_UTF8_LONG selects a block: the block or one of its neighbours may consist of
 * text only. Neighbours that are not in `classes` are assumed to consist of text.
 */
PM_INLINE bool may_be_long(const struct pm_byte_classes *classes, size_t i, size_t blocks)
{
	return i == 0 || i + 1 == blocks || is_full(classes, i - 1) || is_full(classes, i) ||
	       is_full(classes, i + 1);
}

PM_INLINE void classify(const uint8_t *bytes, size_t blocks, bool white, enum pm_utf8_wish utf8,
                        struct pm_byte_classes *classes, gather *bits)
{
	for (size_t i = 0; i < blocks; i++)
		classify_plain(bytes + i * PM_BLOCK, white, classes, i, bits);
	for (size_t i = 0; utf8 != PM_UTF8_NONE && i < blocks; i++) {
		classes->multibyte[i] = classes->high[i] != 0 &&
		                        (utf8 == PM_UTF8_ALL || may_be_long(classes, i, blocks));
		if (classes->multibyte[i])
			classify_utf8(bytes + i * PM_BLOCK, classes->high[i], &classes->utf8[i],
			              bits);
	}
}

/* NOLINTEND(bugprone-implicit-widening-of-multiplication-result) */
