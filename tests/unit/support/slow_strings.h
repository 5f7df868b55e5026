/* SPDX-License-Identifier: MIT */
/**
 * @file The search for text that others are compared with. It examines one character after the
 * other.
 */
#ifndef TESTS_SUPPORT_SLOW_STRINGS_H
#define TESTS_SUPPORT_SLOW_STRINGS_H

#include "support/windows.h"

/**
 * Finds all strings.
 * @param options  the encodings and the minimum length
 * @param hits     receives the strings, sorted by sort_hits()
 */
void slow_strings(const struct pm_strings_options *options, const uint8_t *bytes, size_t size,
                  uint64_t address, struct hit_list *hits);

/**
 * Sorts by start, then by encoding: overlapping strings of several encodings can be in any order.
 */
void sort_hits(struct hit_list *hits);

#endif
