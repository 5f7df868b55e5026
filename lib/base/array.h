/* SPDX-License-Identifier: MIT */
/** @file Growing arrays with overflow-checked sizes. Private. */
#ifndef PM_BASE_ARRAY_H
#define PM_BASE_ARRAY_H

#include <stddef.h>

#include <procmem/error.h>

/**
 * Grows an array to hold at least `count + more` items. If the array has to be reallocated, its
 * capacity at least doubles.
 *
 * @param items      address of the array pointer, `&array`; the pointer is updated if the array is
 *                   reallocated
 * @param capacity   number of allocated items; updated if the array is reallocated
 * @param count      number of items in use
 * @param more       number of items to be added
 * @param item_size  size of an item in bytes
 * @param error      PM_ERROR_RESOURCES
 * @return           0, or -1 with the array unchanged
 */
int pm_array_reserve(void *items, size_t *capacity, size_t count, size_t more, size_t item_size,
                     struct pm_error *error);

/**
 * Reports a failed allocation of this process.
 * @param error  receives PM_ERROR_RESOURCES; may be NULL
 * @return       always -1
 */
int pm_error_out_of_memory(struct pm_error *error);

/**
 * Reports that a call failed because this process lacks something: descriptors or memory.
 * @param cause  errno of the call (pm_errno_is_ours())
 * @param error  receives PM_ERROR_RESOURCES; may be NULL
 * @return       always -1
 */
int pm_error_no_resources(int cause, struct pm_error *error);

#endif
