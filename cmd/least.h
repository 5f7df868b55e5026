/* SPDX-License-Identifier: MIT */
/** @file The smaller of two sizes. */
#ifndef CMD_LEAST_H
#define CMD_LEAST_H

#include <stddef.h>

static inline size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

#endif
