/* SPDX-License-Identifier: MIT */
/** @file The smaller and the larger of two sizes. */
#ifndef CMD_BASE_MINMAX_H
#define CMD_BASE_MINMAX_H

#include <stddef.h>

/**
 * Returns the smaller of two sizes.
 * @param a  a size
 * @param b  a size
 * @return   the smaller one
 */
static inline size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/**
 * Returns the larger of two sizes.
 * @param a  a size
 * @param b  a size
 * @return   the larger one
 */
static inline size_t max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

/**
 * Subtracts, without going below 0.
 * @param a  a size
 * @param b  a size
 * @return   a - b, 0 if b is larger
 */
static inline size_t excess_size(size_t a, size_t b)
{
	return a > b ? a - b : 0;
}

#endif
