/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A census of a large heap, of which only some chunks are read.
 */
#ifndef PROCMEM_CENSUS_SAMPLE_H
#define PROCMEM_CENSUS_SAMPLE_H

#include <stdint.h>

#include <procmem/census.h>
#include <procmem/error.h>
#include <procmem/heap.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Counts the chunks in use of a large heap, but reads only some of them: of each size evenly
 * distributed ones, and all if they are few. The number of chunks of each size is exact; how they
 * are divided into types is estimated. Of the members of a class, `count`, `bytes` and `zeros` are
 * those of all chunks, the others those of the chunks that were read.
 *
 * @param census  an empty census without a filter, with the key PM_CENSUS_SIZE
 * @param heap    the heap
 * @param max     number of chunks that are read, about; at least 16 of each size are
 * @param read    receives the number of chunks that were read
 * @param error   PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return        0 or -1
 */
PM_PUBLIC int pm_census_add_sample(struct pm_census *census, struct pm_heap *heap, uint64_t max,
                                   uint64_t *read, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
