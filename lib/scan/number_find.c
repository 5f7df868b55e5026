/* SPDX-License-Identifier: MIT */
/* The version for SSE2 is also the portable one: the compilers translate the vectors for other
 * processors. */
#define VECTOR 16
#define TARGET
#include "scan/number_find_body.h"

static const struct pm_number_finders portable = PM_NUMBER_FINDERS;

static bool has_one_value(const struct pm_number_test *test)
{
	if (test->type != PM_NUMBER_FLOAT)
		return test->low == test->high;
	return test->float_low >= test->float_high;
}

pm_number_find *pm_number_find_for(const struct pm_number_test *test, bool aligned,
                                   enum pm_simd simd)
{
	const struct pm_number_finders *finders = &portable;
	bool one = has_one_value(test);

#if PM_SIMD_X86
	if (simd == PM_SIMD_AVX2)
		finders = &pm_number_find_avx2;
#endif

	(void)simd;
	if (test->type == PM_NUMBER_FLOAT)
		return finders->floats[aligned][one][test->size == sizeof(double)];
	return finders->integers[aligned][one][__builtin_ctz(test->size)];
}
