/* SPDX-License-Identifier: MIT */
/*
 * The portable version of pm_classify, the version for SSE2, which every x86-64 processor has, and
 * the function that chooses a version.
 */
#define VECTOR 16
#include "scan/byte_classes_body.h"

#if PM_SIMD_X86
#include <immintrin.h>
#endif

PM_INLINE uint32_t gather_portable(const vector *result)
{
	uint32_t bits = 0;
	for (unsigned i = 0; i < VECTOR; i++)
		bits |= (uint32_t)((*result)[i] < 0) << i;
	return bits;
}

static void classify_portable(const uint8_t *bytes, size_t blocks, bool white,
                              enum pm_utf8_wish utf8, struct pm_byte_classes *classes)
{
	classify(bytes, blocks, white, utf8, classes, gather_portable);
}

#if PM_SIMD_X86
PM_INLINE uint32_t gather_sse2(const vector *result)
{
	return (uint32_t)_mm_movemask_epi8((__m128i)*result);
}

static void classify_sse2(const uint8_t *bytes, size_t blocks, bool white, enum pm_utf8_wish utf8,
                          struct pm_byte_classes *classes)
{
	classify(bytes, blocks, white, utf8, classes, gather_sse2);
}
#endif

pm_classify *pm_classify_for(enum pm_simd simd)
{
#if PM_SIMD_X86
	if (simd == PM_SIMD_AVX2)
		return pm_classify_avx2;
	if (simd == PM_SIMD_SSE2)
		return classify_sse2;
#endif

	(void)simd;
	return classify_portable;
}
