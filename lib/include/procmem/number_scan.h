/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Searches for numbers: integers and floating-point numbers whose value is in a range
 * (<procmem/number_test.h>).
 *
 * Numbers are found at all addresses, or only at multiples of their size. Numbers can overlap: all
 * of them are found. A number must start in a page that is in memory or in swap, and can end in
 * pages that were never touched, which contain zeros.
 */
#ifndef PROCMEM_NUMBER_SCAN_H
#define PROCMEM_NUMBER_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/number_test.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum number of tests of a scanner. */
#define PM_NUMBER_TESTS_MAX 8

/**
 * Describes what to search for; opaque. Several threads and scans may use the same scanner at the
 * same time.
 */
struct pm_scanner;

/**
 * Creates a scanner for numbers. In a hit, `source` is the index of the test, and `encoding` is
 * PM_ENCODING_8BIT. If several tests match at the same address, there is a hit for each of them.
 *
 * @param tests    the tests, each valid (pm_number_test_is_valid()); copied
 * @param count    number of tests, from 1 to PM_NUMBER_TESTS_MAX
 * @param aligned  find numbers only at addresses that are multiples of their size
 * @param scanner  receives the scanner; release it with pm_scanner_destroy()
 * @param error    PM_ERROR_USAGE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_number_scanner_create(const struct pm_number_test *tests, size_t count,
                                       bool aligned, struct pm_scanner **scanner,
                                       struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
