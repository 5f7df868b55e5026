/* SPDX-License-Identifier: MIT */
/** @file The smaller of two sizes. */
#ifndef CMD_BASE_MINMAX_H
#define CMD_BASE_MINMAX_H

#include <stddef.h>

static inline size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

#endif
