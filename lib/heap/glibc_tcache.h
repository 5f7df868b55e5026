/* SPDX-License-Identifier: MIT */
/** @file Finds chunks that are cached in tcaches. Private. */
#ifndef PM_HEAP_GLIBC_TCACHE_H
#define PM_HEAP_GLIBC_TCACHE_H

#include "heap/glibc_lists.h"

/**
 * Marks the chunks of all tcaches as cached.
 *
 * @param lists  its heap has the candidates for tcaches, and receives `links`, `tcache_size`,
 *               `tcache_key` and the chunks that have this key
 * @return       0 or -1; the error is that of `lists`
 */
int pm_glibc_tcache_read(struct pm_glibc_lists *lists);

#endif
