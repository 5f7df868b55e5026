/* SPDX-License-Identifier: MIT */
/** @file The sources of limits. Each adds those that it finds. Private. */
#ifndef PM_LIMITS_GATHER_H
#define PM_LIMITS_GATHER_H

#include <procmem/headroom.h>

#include "limits/hierarchy.h"

#endif
