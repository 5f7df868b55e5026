/* SPDX-License-Identifier: MIT */
/** @file Random patterns and bytes, and the matches that PCRE2 finds without the engine. */
#ifndef TESTS_SUPPORT_PATTERNS_H
#define TESTS_SUPPORT_PATTERNS_H

#include <procmem/pattern_scan.h>

#include "support/windows.h"

/** Longest pattern of random_pattern(). */
enum { RANDOM_PATTERN_MOST = 400 };

/**
 * Writes a valid pattern with most of the syntax of PCRE2.
 * @param text    receives the pattern, with a NUL
 * @param flags   for pm_pattern.flags
 * @param random  state of random_next()
 */
void random_pattern(char text[RANDOM_PATTERN_MOST], unsigned flags, uint64_t *random);

/**
 * Fills bytes with text that such patterns match often: few letters, line ends, zeros, UTF-8, and
 * some random bytes.
 */
void random_text(uint8_t *bytes, size_t size, uint64_t *random);

/**
 * Finds all matches by PCRE2 in the whole buffer at once.
 *
 * @return false if they cannot be compared: PCRE2 exceeded a limit, or its JIT code and its
 *   interpreter differ (in 10.42 they do in rare cases)
 */
bool pcre2_alone(const struct pm_pattern *patterns, size_t count, const uint8_t *bytes, size_t size,
                 struct hit_list *hits);

#endif
