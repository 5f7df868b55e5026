/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the readers of V8 and Chromium ask about addresses and regions. Private.
 */
#ifndef PM_RUNTIMES_V8_MEMORY_H
#define PM_RUNTIMES_V8_MEMORY_H

#include <procmem/region.h>

/** Tests whether a word can be the address of an object: it is aligned, and not too low or high. */
bool pm_v8_memory_is_pointer(uint64_t word);

/** Tests whether a region is private and anonymous. */
bool pm_v8_memory_is_private(const struct pm_region *region);

/** Tests whether an address is in executable memory. */
bool pm_v8_memory_is_code(const struct pm_regions *regions, uint64_t address);

/** Tests whether an address is in a mapped file, and aligned as a vtable is. */
bool pm_v8_memory_is_constant(const struct pm_regions *regions, uint64_t address);

/**
 * Tests whether private anonymous regions cover a range without gaps.
 *
 * @param regions  the regions
 * @param start    first address
 * @param size     bytes
 */
bool pm_v8_memory_is_reserved(const struct pm_regions *regions, uint64_t start, uint64_t size);

#endif
