/* SPDX-License-Identifier: MIT */
/** @file The order of words of 8 bytes. Private. */
#ifndef PM_BASE_WORDS_H
#define PM_BASE_WORDS_H

#include <stdint.h>

/** Compares two numbers of type uint64_t, for qsort(3) and bsearch(3). */
static inline int pm_compare_words(const void *left, const void *right)
{
	const uint64_t one = *(const uint64_t *)left, other = *(const uint64_t *)right;

	return (one > other) - (one < other);
}

#endif
