/* SPDX-License-Identifier: MIT */
/** @file Classifies the first bytes of a chunk that has no named type. Private. */
#ifndef PM_HEAP_CONTENT_H
#define PM_HEAP_CONTENT_H

#include <procmem/chunk_type.h>

#include "heap/address_map.h"

/** Tests whether bytes are zeros, also if there are none. */
bool pm_content_is_zeros(const void *head, size_t size);

/**
 * Determines what bytes are, except for PM_CONTENT_UNREAD, PM_CONTENT_OBJECT, PM_CONTENT_STATIC and
 * PM_CONTENT_FUNCTION.
 *
 * @param map   what addresses point to
 * @param head  the bytes
 * @param size  number of bytes, at most PM_CHUNK_HEAD_SIZE
 */
enum pm_content pm_content_of_bytes(struct pm_address_map *map, const void *head, size_t size);

#endif
