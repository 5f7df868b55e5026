/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Oilpan (cppgc), the garbage collector of Chromium for objects of C++: its pages are multiples of
 * 128 KiB in a reserved range, the cage. Private.
 */
#ifndef PM_RUNTIMES_OILPAN_H
#define PM_RUNTIMES_OILPAN_H

#include "runtimes/context.h"

/**
 * Finds the pages of Oilpan, and adds their memory: pages whose headers are confirmed by their heap
 * as proven, the rest of the cage as inferred.
 *
 * @param context  the context
 * @return         the number of pages that were confirmed
 */
size_t pm_oilpan_read(struct pm_runtimes_context *context);

#endif
