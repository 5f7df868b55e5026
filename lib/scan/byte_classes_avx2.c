/* SPDX-License-Identifier: MIT */
#define VECTOR 32
#include "scan/byte_classes_body.h"

#if PM_SIMD_X86
#include <immintrin.h>

__attribute__((target("avx2"))) PM_INLINE uint32_t gather_avx2(const vector *result)
{
	return (uint32_t)_mm256_movemask_epi8((__m256i)*result);
}

__attribute__((target("avx2"))) void pm_classify_avx2(const uint8_t *bytes, size_t blocks,
                                                      bool white, enum pm_utf8_wish utf8,
                                                      struct pm_byte_classes *classes)
{
	classify(bytes, blocks, white, utf8, classes, gather_avx2);
}
#endif
