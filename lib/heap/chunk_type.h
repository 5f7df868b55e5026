/* SPDX-License-Identifier: MIT */
/** @file What other files of this layer need of types. Private. */
#ifndef PM_HEAP_CHUNK_TYPE_H
#define PM_HEAP_CHUNK_TYPE_H

#include <procmem/chunk_type.h>

/**
 * Updates which addresses are memory of the target, so that pointers into memory that was mapped
 * since then are known as pointers. Files that were mapped since then give no names.
 *
 * @param types    the types
 * @param regions  the present regions; not used after the call
 * @return         0, or -1 with PM_ERROR_RESOURCES
 */
int pm_chunk_types_update(struct pm_chunk_types *types, const struct pm_regions *regions,
                          struct pm_error *error);

#endif
