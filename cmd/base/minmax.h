/* SPDX-License-Identifier: MIT */
/** @file The smaller and the larger of two numbers: see <procmem/minmax.h>. */
#ifndef CMD_BASE_MINMAX_H
#define CMD_BASE_MINMAX_H

#include <procmem/minmax.h>

#endif
