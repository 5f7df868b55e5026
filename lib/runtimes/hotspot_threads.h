/* SPDX-License-Identifier: MIT */
/** @file Names of Java threads. Private. */
#ifndef PM_RUNTIMES_HOTSPOT_THREADS_H
#define PM_RUNTIMES_HOTSPOT_THREADS_H

#include "runtimes/hotspot_heap.h"

/**
 * Adds the names of threads that the kernel has cut.
 * @return 0 or -1 with PM_ERROR_RESOURCES
 */
int pm_hotspot_read_threads(const struct pm_hotspot *jvm, enum pm_hotspot_collector collector,
                            struct pm_error *error);

#endif
