/* SPDX-License-Identifier: MIT */
#include "scan/byte_pair.h"

#include <string.h>

#if PM_SIMD_X86
#include <immintrin.h>
#endif

void pm_byte_test_init(struct pm_byte_test *test, const struct pm_byte_set *set)
{
	uint8_t ones = 0xff, any = 0;

	*test = (struct pm_byte_test){ .set = *set };
	for (unsigned i = 0; i < 0x100; i++) {
		uint8_t value = (uint8_t)i;
		if (!pm_byte_set_has(set, value))
			continue;
		test->member[value] = true;
		uint8_t *table = test->low;
		if (value >= 0x80)
			table = test->high;
		table[value & 0xf] = (uint8_t)(table[value & 0xf] | 1 << (value >> 4 & 7));
		ones &= value;
		any |= value;
	}

	/* The mask selects the bits that are equal in all values of the set. The masked test
	 * accepts just the set if the set contains all combinations of the other bits. */
	uint8_t free_bits = ones ^ any;
	test->mask = (uint8_t)~free_bits;
	test->match = ones;
	test->masked = pm_byte_set_count(set) == 1u << (unsigned)__builtin_popcount(free_bits);
}

static size_t find_portable(const struct pm_byte_pair *pair, const uint8_t *bytes, size_t from,
                            size_t end)
{
	const uint8_t *first = bytes + pair->offsets[0], *second = bytes + pair->offsets[1];
	for (; from < end; from++) {
		if (pair->tests[0].member[first[from]] && pair->tests[1].member[second[from]])
			return from;
	}
	return end;
}

#if PM_SIMD_X86
static size_t find_sse2(const struct pm_byte_pair *pair, const uint8_t *bytes, size_t from,
                        size_t end)
{
	const uint8_t *first = bytes + pair->offsets[0], *second = bytes + pair->offsets[1];
	__m128i first_mask = _mm_set1_epi8((char)pair->tests[0].mask),
		first_match = _mm_set1_epi8((char)pair->tests[0].match);
	__m128i second_mask = _mm_set1_epi8((char)pair->tests[1].mask),
		second_match = _mm_set1_epi8((char)pair->tests[1].match);

	for (; from < end && end - from >= 16; from += 16) {
		__m128i a = _mm_loadu_si128((const __m128i *)(first + from)),
			b = _mm_loadu_si128((const __m128i *)(second + from));
		a = _mm_cmpeq_epi8(_mm_and_si128(a, first_mask), first_match);
		b = _mm_cmpeq_epi8(_mm_and_si128(b, second_mask), second_match);
		unsigned bits = (unsigned)_mm_movemask_epi8(_mm_and_si128(a, b));
		if (bits)
			return from + (unsigned)__builtin_ctz(bits);
	}

	return find_portable(pair, bytes, from, end);
}
#endif

pm_byte_pair_find *pm_byte_pair_find_for(const struct pm_byte_pair *pair, enum pm_simd simd)
{
#if PM_SIMD_X86
	if (simd == PM_SIMD_AVX2)
		return pm_byte_pair_find_avx2[pair->tests[0].masked | pair->tests[1].masked << 1];
	/* A test that is not masked needs table look-ups with PSHUFB, which SSE2 does not have. */
	if (simd == PM_SIMD_SSE2 && pair->tests[0].masked && pair->tests[1].masked)
		return find_sse2;
#endif

	(void)pair;
	(void)simd;

	return find_portable;
}
