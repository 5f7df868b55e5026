/* SPDX-License-Identifier: MIT */
/** @file The smaller and the larger of two numbers: see <procmem/minmax.h>. Private. */
#ifndef PM_BASE_MINMAX_H
#define PM_BASE_MINMAX_H

#include <procmem/minmax.h>

#endif
