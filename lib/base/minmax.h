/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Includes <procmem/minmax.h>, the minimum, maximum and clamp functions. Private.
 */
#ifndef PM_BASE_MINMAX_H
#define PM_BASE_MINMAX_H

#include <procmem/minmax.h>

#endif
