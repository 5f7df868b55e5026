/* SPDX-License-Identifier: MIT */
/** @file The performance counters of HotSpot. Private. */
#ifndef PM_RUNTIMES_HOTSPOT_COUNTERS_H
#define PM_RUNTIMES_HOTSPOT_COUNTERS_H

#include "runtimes/hotspot.h"

/** Adds the number and the duration of collections. */
void pm_hotspot_read_counters(const struct pm_hotspot *jvm);

#endif
