/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The body of the versions of pm_number_find. Before a file includes this header, it defines
 * VECTOR, the size of a vector register in bytes, and TARGET, the attribute for its instructions.
 *
 * An offset that is not aligned belongs to one of `size` sequences of numbers, each of which starts
 * one byte after the other. Each sequence is compared as a whole, with unaligned loads. The
 * comparisons use the vector types of GCC and Clang, so all versions share their source. Private.
 */
#include "scan/number_find.h"

#include <string.h>

/** The results of comparisons, combined. */
typedef uint64_t any_result __attribute__((vector_size(VECTOR)));

TARGET static inline __attribute__((always_inline)) bool is_any(const any_result *results)
{
	uint64_t any = 0;
	for (unsigned i = 0; i < VECTOR / sizeof(uint64_t); i++)
		any |= (*results)[i];
	return any != 0;
}

/**
 * Defines a pm_number_find.
 * @param name     its name
 * @param number   the type of the numbers
 * @param step     1 to find all numbers, otherwise their size
 * @param first    a value that `accepts` needs: `low`
 * @param second   another one: `high`
 * @param accepts  compares a vector `v` of numbers
 */
#define PM_NUMBER_FIND(name, number, step, first, second, accepts)                             \
	TARGET static size_t name(const struct pm_number_test *test, const uint8_t *bytes,     \
	                          size_t from, size_t end)                                     \
	{                                                                                      \
		typedef number vector __attribute__((vector_size(VECTOR)));                    \
		typedef number unaligned                                                       \
			__attribute__((vector_size(VECTOR), aligned(1), may_alias));           \
		const number low = (number)(first), high = (number)(second);                   \
                                                                                               \
		for (; from < end && end - from >= PM_NUMBER_BLOCK; from += PM_NUMBER_BLOCK) { \
			any_result any = { 0 };                                                \
			for (size_t i = 0; i < PM_NUMBER_BLOCK; i += VECTOR)                   \
				for (size_t k = 0; k < sizeof(number); k += (step)) {          \
					vector v = *(const unaligned *)(bytes + from + i + k); \
					any |= (any_result)(accepts);                          \
				}                                                              \
			if (is_any(&any))                                                      \
				return from;                                                   \
		}                                                                              \
                                                                                               \
		(void)high;                                                                    \
		return from;                                                                   \
	}

/* A range of signed integers, too, is one of unsigned integers once its lowest value is
 * subtracted. */
#define PM_NUMBER_INTEGER(bits, step, suffix)                                                  \
	PM_NUMBER_FIND(find_##suffix, uint##bits##_t, step, test->low, test->high - test->low, \
	               v - low <= high)                                                        \
	PM_NUMBER_FIND(find_one_##suffix, uint##bits##_t, step, test->low, test->high, v == low)

#define PM_NUMBER_INTEGERS(bits)         \
	PM_NUMBER_INTEGER(bits, 1, bits) \
	PM_NUMBER_INTEGER(bits, sizeof(uint##bits##_t), aligned_##bits)

#define PM_NUMBER_FLOAT_PAIR(real, step, suffix)                                     \
	PM_NUMBER_FIND(find_##suffix, real, step, test->float_low, test->float_high, \
	               (v >= low) & (v <= high))                                     \
	PM_NUMBER_FIND(find_one_##suffix, real, step, test->float_low, test->float_high, v == low)

#define PM_NUMBER_FLOATS(real)              \
	PM_NUMBER_FLOAT_PAIR(real, 1, real) \
	PM_NUMBER_FLOAT_PAIR(real, sizeof(real), aligned_##real)

PM_NUMBER_INTEGERS(8)
PM_NUMBER_INTEGERS(16)
PM_NUMBER_INTEGERS(32)
PM_NUMBER_INTEGERS(64)
PM_NUMBER_FLOATS(float)
PM_NUMBER_FLOATS(double)

/** The initial value of a struct pm_number_finders. */
#define PM_NUMBER_FINDERS                                                                         \
	{                                                                                         \
		.integers = { { { find_8, find_16, find_32, find_64 },                            \
		                { find_one_8, find_one_16, find_one_32, find_one_64 } },          \
		              { { find_aligned_8, find_aligned_16, find_aligned_32,               \
		                  find_aligned_64 },                                              \
		                { find_one_aligned_8, find_one_aligned_16, find_one_aligned_32,   \
		                  find_one_aligned_64 } } },                                      \
		.floats = { { { find_float, find_double }, { find_one_float, find_one_double } }, \
		            { { find_aligned_float, find_aligned_double },                        \
		              { find_one_aligned_float, find_one_aligned_double } } },            \
	}
