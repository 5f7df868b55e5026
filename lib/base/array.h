/* SPDX-License-Identifier: MIT */
/** @file Growing arrays with overflow-checked sizes. Private. */
#ifndef PM_BASE_ARRAY_H
#define PM_BASE_ARRAY_H

#include <stddef.h>

#include <procmem/error.h>

/**
 * Makes room for `count + more` items, at least doubling.
 *
 * @param items     pointer to the array pointer (passed as `&array`)
 * @param capacity  how many items there is room for; updated
 * @param count     how many items are in use
 * @param more      how many are to be added
 * @param item_size bytes of an item
 * @param error     PM_ERROR_RESOURCES
 * @return          0, or -1 with the array as it was
 */
int pm_array_reserve(void *items, size_t *capacity, size_t count, size_t more, size_t item_size,
                     struct pm_error *error);

/**
 * The error of a failed allocation.
 * @param error filled
 * @return -1
 */
int pm_error_out_of_memory(struct pm_error *error);

#endif
