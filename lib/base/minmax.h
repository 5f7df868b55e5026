/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Includes <procmem/minmax.h>, which has the smaller and the larger of two numbers. Private.
 */
#ifndef PM_BASE_MINMAX_H
#define PM_BASE_MINMAX_H

#include <procmem/minmax.h>

#endif
