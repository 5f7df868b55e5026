/* SPDX-License-Identifier: MIT */
/** @file Finds the arenas of glibc's malloc, and mp_, without symbols. Private. */
#ifndef PM_HEAP_GLIBC_FIND_H
#define PM_HEAP_GLIBC_FIND_H

#include "heap/glibc_context.h"

/**
 * Finds the main arena, the other arenas and mp_.
 *
 * @param glibc  `heap` and `page` are set; receives `layout`, `arenas`, `parameters` and `file`.
 *               If malloc was never called, `count` is 0
 * @param error  PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return       1 if a main arena was found, 0 if not, or -1
 */
int pm_glibc_find(struct pm_glibc *glibc, struct pm_error *error);

/**
 * Searches another copy of libc whose malloc is in use: a program can load one (dlmopen(3)), and so
 * can the dynamic linker (LD_AUDIT). Its chunks are not read.
 *
 * @param glibc  as filled by pm_glibc_find(), with at least one arena
 * @param error  PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return       1 if there is one, 0 if not, or -1
 */
int pm_glibc_find_copy(struct pm_glibc *glibc, struct pm_error *error);

/**
 * Reads an arena again.
 *
 * @param glibc  receives the arena
 * @param arena  index of the arena
 * @param error  PM_ERROR_GONE, PM_ERROR_CANCELLED
 * @return       1; 0 if the arena cannot be read or is not plausible, with the arena unchanged; -1
 */
int pm_glibc_find_again(struct pm_glibc *glibc, size_t arena, struct pm_error *error);

/**
 * Reads mp_ again.
 *
 * @param glibc  receives the parameters
 * @param error  PM_ERROR_GONE, PM_ERROR_CANCELLED
 * @return       1; 0 if mp_ is not known or is not plausible, with the parameters unchanged; -1
 */
int pm_glibc_find_parameters(struct pm_glibc *glibc, struct pm_error *error);

#endif
