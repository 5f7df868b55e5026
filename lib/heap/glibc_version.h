/* SPDX-License-Identifier: MIT */
/** @file The version of glibc that its own text says. Private. */
#ifndef PM_HEAP_GLIBC_VERSION_H
#define PM_HEAP_GLIBC_VERSION_H

#include "heap/glibc_context.h"

/**
 * Searches the constant data of the file that contains the main arena for the text with which libc
 * introduces itself: "GNU C Library (...) stable release version 2.36.". Only pages that are in
 * memory are read, so the text is not always found.
 *
 * @param glibc  receives `minor`, such as 36; 0 if the text was not found
 * @param error  PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return       0 or -1
 */
int pm_glibc_version_find(struct pm_glibc *glibc, struct pm_error *error);

/**
 * Returns whether a range of versions, such as "2.35-2.41", contains 2.`minor`.
 * @param range  two versions, or one
 */
bool pm_glibc_version_is_in(const char *range, int minor);

#endif
