/* SPDX-License-Identifier: MIT */
/**
 * @file Determines which vector instructions the processor has. x86-64 always has SSE2; AVX2 is
 * detected at run time; portable code is used on other processors. Private.
 */
#ifndef PM_SCAN_SIMD_H
#define PM_SCAN_SIMD_H

#if defined __x86_64__
#define PM_SIMD_X86 1
#else
#define PM_SIMD_X86 0
#endif

/** Levels of vector instructions. Each level includes the previous ones. */
enum pm_simd {
	PM_SIMD_PORTABLE, /**< portable code, without vector instructions of a processor */
	PM_SIMD_SSE2,     /**< 16 bytes at a time */
	PM_SIMD_AVX2,     /**< 32 bytes at a time, and table look-ups by PSHUFB */
};

/**
 * Returns the highest level of this processor.
 * @return  the level
 */
enum pm_simd pm_simd_best(void);

#endif
