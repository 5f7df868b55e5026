/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Keeps the runtimes of a process (runtimes.h), and reads them again when a share of CPU time
 * allows it. For programs that sample a process repeatedly: reading runtimes takes milliseconds.
 */
#ifndef PROCMEM_RUNTIMES_CACHE_H
#define PROCMEM_RUNTIMES_CACHE_H

#include <stdbool.h>

#include <procmem/runtimes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The runtimes of a process, as last read; opaque. Only one thread at a time may use it. */
struct pm_runtimes_cache;

/**
 * Creates an empty cache.
 *
 * @param share  CPU time that reading may use, as a share of one core: 0.01 is one percent. 0 means
 *               unlimited: each call of pm_runtimes_cache_read() reads
 * @param cache  receives the cache; release with pm_runtimes_cache_close()
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
PM_PUBLIC int pm_runtimes_cache_open(double share, struct pm_runtimes_cache **cache,
                                     struct pm_error *error);

/**
 * Releases a cache and its runtimes.
 * @param cache  the cache; may be NULL
 */
PM_PUBLIC void pm_runtimes_cache_close(struct pm_runtimes_cache *cache);

/**
 * Returns whether the share allows to read the runtimes again. The first read is always allowed.
 *
 * @param cache  the cache
 * @param now    CLOCK_BOOTTIME in seconds
 * @return       whether pm_runtimes_cache_read() would read
 */
PM_PUBLIC bool pm_runtimes_cache_is_due(const struct pm_runtimes_cache *cache, double now);

/**
 * Reads the runtimes, unless too little time has passed since they were last read: the CPU time of
 * each read, divided by the share, must pass before the next one.
 *
 * @param cache   the cache; unchanged if nothing was read, and on failure
 * @param source  where to read
 * @param now     CLOCK_BOOTTIME in seconds
 * @param error   as for pm_runtimes_open()
 * @return        1 if the runtimes were read, 0 if those of the last read are kept, -1 on failure
 */
PM_PUBLIC int pm_runtimes_cache_read(struct pm_runtimes_cache *cache,
                                     const struct pm_runtimes_source *source, double now,
                                     struct pm_error *error);

/**
 * Returns the runtimes as last read.
 *
 * @param cache  the cache
 * @return       the runtimes, valid until the next read; NULL if they were never read
 */
PM_PUBLIC const struct pm_runtimes *pm_runtimes_cache_get(const struct pm_runtimes_cache *cache);

/**
 * Returns when the runtimes were last read.
 *
 * @param cache  the cache
 * @return       CLOCK_BOOTTIME in seconds, as passed to pm_runtimes_cache_read(); 0 if never
 */
PM_PUBLIC double pm_runtimes_cache_time(const struct pm_runtimes_cache *cache);

#ifdef __cplusplus
}
#endif

#endif
