/* SPDX-License-Identifier: MIT */
/**
 * @file The vector instructions of the processor. Portable code exists for all processors; x86-64
 * always has SSE2, and AVX2 is detected at run time. Private.
 */
#ifndef PM_SCAN_SIMD_H
#define PM_SCAN_SIMD_H

#if defined __x86_64__
#define PM_SIMD_X86 1
#else
#define PM_SIMD_X86 0
#endif

/** Vector instructions, each level containing those before it. */
enum pm_simd {
	PM_SIMD_PORTABLE, /**< none in particular */
	PM_SIMD_SSE2,     /**< 16 bytes at a time */
	PM_SIMD_AVX2,     /**< 32 bytes at a time, and table look-ups by PSHUFB */
};

/**
 * Returns the highest level of this processor.
 * @return  the level
 */
enum pm_simd pm_simd_best(void);

#endif
