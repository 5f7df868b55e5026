/* SPDX-License-Identifier: MIT */
#include "scan/simd.h"

#if PM_SIMD_X86
#define VECTOR 32
#define TARGET __attribute__((target("avx2")))
#include "scan/number_find_body.h"

const struct pm_number_finders pm_number_find_avx2 = PM_NUMBER_FINDERS;
#endif
