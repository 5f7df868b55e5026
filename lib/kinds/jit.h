/* SPDX-License-Identifier: MIT */
/** @file Recognises files that belong to generated code. Private. */
#ifndef PM_KINDS_JIT_H
#define PM_KINDS_JIT_H

#include <stdbool.h>

/**
 * Returns whether a path names a file in which JIT compilers describe their code for perf(1), which
 * is named jit-PID.dump or perf-PID.map.
 */
bool pm_jit_is_record(const char *path);

#endif
