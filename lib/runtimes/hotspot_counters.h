/* SPDX-License-Identifier: MIT */
/** @file The performance counters of a JVM. Private. */
#ifndef PM_RUNTIMES_HOTSPOT_COUNTERS_H
#define PM_RUNTIMES_HOTSPOT_COUNTERS_H

#include "runtimes/hotspot.h"
#include "runtimes/hsperf.h"

/**
 * Finds the performance counters, and copies them.
 *
 * @param jvm     the JVM
 * @param hsperf  receives the counters; release with pm_hsperf_deinit()
 * @return        false if the JVM has none (-XX:-UsePerfData), or if they cannot be read; there is
 *                then nothing to release
 */
bool pm_hotspot_copy_counters(const struct pm_hotspot *jvm, struct pm_hsperf *hsperf);

/** Adds the number and the duration of collections. */
void pm_hotspot_read_counters(const struct pm_hotspot *jvm);

#endif
