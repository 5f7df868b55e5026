/* SPDX-License-Identifier: MIT */
/** @file Finds chunks that are cached in fastbins and tcaches. Private. */
#ifndef PM_HEAP_GLIBC_CACHED_H
#define PM_HEAP_GLIBC_CACHED_H

#include "heap/glibc_context.h"

/**
 * Sets the state of cached chunks in the index and in the figures. Call pm_heap_index_finish()
 * before.
 *
 * A fastbin or tcache of a running process changes while it is read. It is read again; if this does
 * not help, the figures of the arena are approximate.
 *
 * @param glibc  the arenas and the candidates for tcaches; receives `links` and `tcache_size`; the
 *               figures are those of the heap
 * @param error  PM_ERROR_GONE, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return       0 or -1
 */
int pm_glibc_cached_read(struct pm_glibc *glibc, struct pm_error *error);

#endif
