/* SPDX-License-Identifier: MIT */
/** @file Overwriting what was read from a target, before its memory is released. Private. */
#ifndef PM_BASE_WIPE_H
#define PM_BASE_WIPE_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/**
 * Overwrites an array with zeros, and releases it.
 * @param array  the array, or NULL
 * @param size   its size in bytes; ignored for NULL
 */
static inline void pm_wipe_free(void *array, size_t size)
{
	if (array)
		explicit_bzero(array, size);
	free(array);
}

#endif
