/* SPDX-License-Identifier: MIT */
/** @file Code made at run time. Private. */
#ifndef PM_KINDS_JIT_H
#define PM_KINDS_JIT_H

#include <stdbool.h>

/**
 * Whether a file of this name is one in which JIT compilers record what they made, for perf(1):
 * jit-PID.dump, perf-PID.map.
 */
bool pm_jit_is_record(const char *path);

#endif
