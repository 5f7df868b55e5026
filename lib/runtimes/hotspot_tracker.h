/* SPDX-License-Identifier: MIT */
/** @file The list of native memory tracking of HotSpot. Private. */
#ifndef PM_RUNTIMES_HOTSPOT_TRACKER_H
#define PM_RUNTIMES_HOTSPOT_TRACKER_H

#include "runtimes/hotspot.h"

/** Adds what native memory tracking calls memory of the collector, if it is switched on. */
void pm_hotspot_read_tracker(const struct pm_hotspot *jvm);

#endif
