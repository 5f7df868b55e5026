/* SPDX-License-Identifier: MIT */
/**
 * @file Which vector instructions there are. The portable code is always there; x86-64 has SSE2
 * always, AVX2 is asked for at run time. Private.
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
 * The best that this processor has.
 * @return the level
 */
enum pm_simd pm_simd_best(void);

#endif
