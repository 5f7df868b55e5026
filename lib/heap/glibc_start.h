/* SPDX-License-Identifier: MIT */
/** @file Finds where a chain of chunks starts, in memory that was not parsed. Private. */
#ifndef PM_HEAP_GLIBC_START_H
#define PM_HEAP_GLIBC_START_H

#include "heap/glibc_chain.h"
#include "heap/glibc_context.h"

/**
 * Finds the next address at which a chain of chunks starts.
 *
 * @param chain  the heap; `at` receives the address, or the end of the heap if there is none
 * @param from   where the search starts
 * @param error  PM_ERROR_GONE, PM_ERROR_CANCELLED
 * @return       0 or -1
 */
int pm_glibc_start_find(struct pm_glibc *glibc, struct pm_glibc_chain *chain, uint64_t from,
                        struct pm_error *error);

/**
 * Tests whether a chain of chunks of the main arena starts at an address.
 *
 * @param address  a multiple of 16
 * @param end      end of the memory in which the chunks can be
 * @param starts   receives the result
 * @param error    PM_ERROR_GONE, PM_ERROR_CANCELLED
 * @return         0 or -1
 */
int pm_glibc_start_test(struct pm_glibc *glibc, uint64_t address, uint64_t end, bool *starts,
                        struct pm_error *error);

#endif
