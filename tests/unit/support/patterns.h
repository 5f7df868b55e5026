/* SPDX-License-Identifier: MIT */
/** @file Patterns and bytes made at random, and what PCRE2 alone finds in one piece. */
#ifndef TESTS_SUPPORT_PATTERNS_H
#define TESTS_SUPPORT_PATTERNS_H

#include <procmem/pattern_scan.h>

#include "support/windows.h"

/** Longest pattern of random_pattern(). */
enum { RANDOM_PATTERN_MOST = 400 };

/**
 * Writes a valid pattern with most of what PCRE2 knows.
 * @param text gets it, with a NUL @param flags for pm_pattern.flags
 */
void random_pattern(char text[RANDOM_PATTERN_MOST], unsigned flags, uint64_t *random);

/**
 * Fills bytes with what such patterns match often: few letters, line ends, zeros, UTF-8, some
 * noise.
 */
void random_text(uint8_t *bytes, size_t size, uint64_t *random);

/**
 * Returns all matches that PCRE2 alone finds in one piece.
 *
 * @return false where nothing can be compared: it gave up, or its JIT code and its interpreter
 * differ (10.42 does in odd cases)
 */
bool pcre2_alone(const struct pm_pattern *patterns, size_t count, const uint8_t *bytes, size_t size,
                 struct hit_list *hits);

#endif
