/* SPDX-License-Identifier: MIT */
#include "scan/byte_pair.h"

#if PM_SIMD_X86
#include <immintrin.h>

#define AVX2        __attribute__((target("avx2")))
#define AVX2_INLINE AVX2 static inline __attribute__((always_inline))

enum { VECTOR = 32, STEP = 2 * VECTOR };

/**
 * A test in vector registers. If the test is masked, `one` contains pm_byte_test.mask and `other`
 * contains pm_byte_test.match. Otherwise `one` contains the table pm_byte_test.low, and `other` the
 * table pm_byte_test.high.
 */
struct test {
	__m256i one, other;
};

AVX2_INLINE struct test load_test(const struct pm_byte_test *test, bool masked)
{
	if (masked)
		return (struct test){ _mm256_set1_epi8((char)test->mask),
			              _mm256_set1_epi8((char)test->match) };
	return (struct test){
		_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)test->low)),
		_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)test->high))
	};
}

/** Returns a vector that has 0xff for each byte that is in the set, and 0 for all others. */
AVX2_INLINE __m256i test_bytes(const struct test *test, const uint8_t *bytes, bool masked)
{
	__m256i b = _mm256_loadu_si256((const __m256i *)bytes);
	if (masked)
		return _mm256_cmpeq_epi8(_mm256_and_si256(b, test->one), test->other);

	/* PSHUFB returns 0 for an index whose top bit is set. So the table `one` returns 0 for
	 * bytes from 0x80. The index of the table `other` has the top bit inverted, so this table
	 * returns 0 for bytes below 0x80. */
	__m256i index = _mm256_and_si256(b, _mm256_set1_epi8((char)0x8f));
	__m256i row = _mm256_or_si256(
		_mm256_shuffle_epi8(test->one, index),
		_mm256_shuffle_epi8(test->other,
	                            _mm256_xor_si256(index, _mm256_set1_epi8((char)0x80))));
	__m256i powers = _mm256_set1_epi64x((long long)UINT64_C(0x8040201008040201));

	__m256i bit = _mm256_shuffle_epi8(powers, _mm256_and_si256(_mm256_srli_epi16(b, 4),
	                                                           _mm256_set1_epi8(7)));
	return _mm256_cmpeq_epi8(_mm256_and_si256(row, bit), bit);
}

AVX2_INLINE size_t find(const struct pm_byte_pair *pair, const uint8_t *bytes, size_t from,
                        size_t end, bool first_masked, bool second_masked)
{
	const uint8_t *first = bytes + pair->offsets[0], *second = bytes + pair->offsets[1];
	const struct test first_test = load_test(&pair->tests[0], first_masked),
			  second_test = load_test(&pair->tests[1], second_masked);
	for (; from < end && end - from >= STEP; from += STEP) {
		__m256i low = _mm256_and_si256(test_bytes(&first_test, first + from, first_masked),
		                               test_bytes(&second_test, second + from,
		                                          second_masked));
		__m256i high = _mm256_and_si256(
			test_bytes(&first_test, first + from + VECTOR, first_masked),
			test_bytes(&second_test, second + from + VECTOR, second_masked));
		if (_mm256_testz_si256(_mm256_or_si256(low, high), _mm256_set1_epi8(-1)))
			continue;
		uint64_t bits = (uint32_t)_mm256_movemask_epi8(low) |
		                (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << VECTOR;
		return from + (size_t)__builtin_ctzll(bits);
	}

	for (; from < end; from++) {
		if (pair->tests[0].member[first[from]] && pair->tests[1].member[second[from]])
			return from;
	}

	return end;
}

AVX2 static size_t find_tables(const struct pm_byte_pair *pair, const uint8_t *bytes, size_t from,
                               size_t end)
{
	return find(pair, bytes, from, end, false, false);
}

AVX2 static size_t find_masked_first(const struct pm_byte_pair *pair, const uint8_t *bytes,
                                     size_t from, size_t end)
{
	return find(pair, bytes, from, end, true, false);
}

AVX2 static size_t find_masked_second(const struct pm_byte_pair *pair, const uint8_t *bytes,
                                      size_t from, size_t end)
{
	return find(pair, bytes, from, end, false, true);
}

AVX2 static size_t find_masked(const struct pm_byte_pair *pair, const uint8_t *bytes, size_t from,
                               size_t end)
{
	return find(pair, bytes, from, end, true, true);
}

pm_byte_pair_find *const pm_byte_pair_find_avx2[4] = { find_tables, find_masked_first,
	                                               find_masked_second, find_masked };
#endif
