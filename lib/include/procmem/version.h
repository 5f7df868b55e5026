/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The version of the library.
 */
#ifndef PROCMEM_VERSION_H
#define PROCMEM_VERSION_H

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the headers, as text: MAJOR.MINOR.PATCH. */
#define PM_VERSION "0.2.0"

/** Version of the headers, for comparisons: MAJOR * 10000 + MINOR * 100 + PATCH. */
#define PM_VERSION_NUMBER 200

/**
 * Returns the version of the library that the program runs with. The library may be newer than the
 * headers that the program was compiled with, whose version is PM_VERSION.
 *
 * @return constant text, such as "0.2.0"
 */
PM_PUBLIC const char *pm_version(void);

#ifdef __cplusplus
}
#endif

#endif
