/* SPDX-License-Identifier: MIT */
/** @file What differs between two indexes of the same heap, without reading the heap. Private. */
#ifndef PM_HEAP_TURNOVER_H
#define PM_HEAP_TURNOVER_H

#include "heap/index.h"

/**
 * Visits a chunk.
 *
 * @param context  as passed to pm_heap_turnover()
 * @param chunk    the chunk
 * @return         0 to continue; any other value ends the search, which returns this value
 */
typedef int pm_turnover_visitor(void *context, const struct pm_chunk *chunk);

/**
 * Visits the chunks in use of an index that are not in use in another one at the same address with
 * the same size, in ascending order. Equal parts of both indexes are skipped 64 units at a time, so
 * this takes little more time than there are differences.
 *
 * @param index    the index; with its chunks in use the visitor is called
 * @param other    the other one
 * @param visit    called for each chunk
 * @param context  passed to `visit`
 * @return         0, or the value with which `visit` ended the search
 */
int pm_heap_turnover(const struct pm_heap_index *index, const struct pm_heap_index *other,
                     pm_turnover_visitor *visit, void *context);

#endif
