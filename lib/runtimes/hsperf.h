/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The performance counters of HotSpot: the data that jstat shows, in the file hsperfdata or in
 * private memory of the JVM (perfMemory.hpp of OpenJDK, version 2.0 of the format, the same from
 * JDK 6 to 25). Private.
 *
 * Most counters are updated by a collection, or 20 times a second: they can be older than the
 * memory that they count.
 */
#ifndef PM_RUNTIMES_HSPERF_H
#define PM_RUNTIMES_HSPERF_H

#include "runtimes/context.h"

/** The counters, as read at one time. */
struct pm_hsperf {
	unsigned char *bytes; /**< copy of the data; NULL if there is none */
	size_t size;          /**< number of bytes */
	size_t first;         /**< offset of the first entry */
	size_t count;         /**< number of entries */
};

/**
 * Reads the counters.
 *
 * @param context  the context
 * @param address  address of the data: PerfMemory::_start
 * @param size     size of the data in bytes; at most 1 MiB is read
 * @param hsperf   receives the counters; release with pm_hsperf_deinit()
 * @return         false if the data is not valid or cannot be read; there is then nothing to
 *                 release
 */
bool pm_hsperf_read(struct pm_runtimes_context *context, uint64_t address, uint64_t size,
                    struct pm_hsperf *hsperf);

/**
 * Checks the prologue of counters that were copied, and finds the entries.
 *
 * @param hsperf  the counters: `bytes` and `size`; receives `first` and `count`
 * @return        false if the data is not valid
 */
bool pm_hsperf_check(struct pm_hsperf *hsperf);

/**
 * Releases the counters.
 * @param hsperf  the counters; zeroed afterwards
 */
void pm_hsperf_deinit(struct pm_hsperf *hsperf);

/**
 * Finds a counter.
 *
 * @param hsperf  the counters
 * @param name    its name, such as "sun.gc.metaspace.used"
 * @param value   receives the value
 * @return        false if there is no number with this name; `value` is then unchanged
 */
bool pm_hsperf_number(const struct pm_hsperf *hsperf, const char *name, int64_t *value);

#endif
