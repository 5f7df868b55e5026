/* SPDX-License-Identifier: MIT */
#include "scan/simd.h"

#include <stdbool.h>
#include <stdint.h>

#if PM_SIMD_X86
#include <cpuid.h>

enum { XCR0_SSE = 2, XCR0_AVX = 4 };

/**
 * Tests whether the kernel saves the AVX registers when it switches threads. If not, AVX cannot be
 * used.
 */
static bool kernel_keeps_avx(void)
{
	uint32_t low, high;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (low & (XCR0_SSE | XCR0_AVX)) == (XCR0_SSE | XCR0_AVX);
}
#endif

/* __builtin_cpu_supports() would do the same, but adds a mutable global variable to the library. */
enum pm_simd pm_simd_best(void)
{
#if PM_SIMD_X86
	unsigned a, b, c, d;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX) ||
	    !kernel_keeps_avx())
		return PM_SIMD_SSE2;
	if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2))
		return PM_SIMD_SSE2;

	return PM_SIMD_AVX2;
#else
	return PM_SIMD_PORTABLE;
#endif
}
