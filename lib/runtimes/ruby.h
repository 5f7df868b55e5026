/* SPDX-License-Identifier: MIT */
/** @file Heap pages of CRuby 3.1 and later. Private. */
#ifndef PM_RUNTIMES_RUBY_H
#define PM_RUNTIMES_RUBY_H

#include "runtimes/context.h"

/**
 * Finds the heap pages of Ruby in all anonymous memory, and adds their ranges.
 * @return the number of pages
 */
uint64_t pm_runtime_ruby_read(struct pm_runtimes_context *context);

#endif
