/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Searches, made by pm_strings_scanner_create() (text) and pm_pattern_scanner_create() (patterns).
 */
#ifndef PROCMEM_SCAN_H
#define PROCMEM_SCAN_H

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A search; opaque. It is not changed by its use: several threads may use one. */
struct pm_scanner;

/** Releases a search. @param scanner a search or NULL */
PM_PUBLIC void pm_scanner_destroy(struct pm_scanner *scanner);

#ifdef __cplusplus
}
#endif

#endif
