/* SPDX-License-Identifier: MIT */
/**
 * @file Minimum, maximum and similar functions: the functions of <procmem/minmax.h>, and one that
 * computes a difference that is never below 0.
 */
#ifndef CMD_BASE_MINMAX_H
#define CMD_BASE_MINMAX_H

#include <stddef.h>

#include <procmem/minmax.h>

/**
 * Subtracts, without going below 0.
 *
 * @param a  a size
 * @param b  a size
 * @return   a - b, or 0 if b is larger
 */
static inline size_t excess_size(size_t a, size_t b)
{
	return a > b ? a - b : 0;
}

#endif
