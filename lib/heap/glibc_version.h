/* SPDX-License-Identifier: MIT */
/** @file The version of glibc that its own text says. Private. */
#ifndef PM_HEAP_GLIBC_VERSION_H
#define PM_HEAP_GLIBC_VERSION_H

#include "heap/glibc_context.h"

/** Size in bytes of the text of a version, with the NUL. */
enum { PM_GLIBC_VERSION_SIZE = 16 };

/**
 * Searches the constant data of the file that contains the main arena for the text with which libc
 * introduces itself: "GNU C Library (...) stable release version 2.36.". Only pages that are in
 * memory are read, so the text is not always found. A version that does not fit the structures of
 * malloc is not used.
 *
 * @param range    the versions that have the structures of malloc that were found, such as
 *                 "2.35-2.41"
 * @param version  receives the version, such as "2.36"; unchanged if none was found
 * @param error    PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return         1 if the text was found, 0 if not, or -1
 */
int pm_glibc_version_find(const struct pm_glibc *glibc, const char *range,
                          char version[PM_GLIBC_VERSION_SIZE], struct pm_error *error);

#endif
