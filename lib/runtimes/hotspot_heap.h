/* SPDX-License-Identifier: MIT */
/** @file The Java heap of HotSpot, and its collector. Private. */
#ifndef PM_RUNTIMES_HOTSPOT_HEAP_H
#define PM_RUNTIMES_HOTSPOT_HEAP_H

#include "runtimes/hotspot.h"

/** Collectors of Java heaps. */
enum pm_hotspot_collector {
	PM_HOTSPOT_UNKNOWN = 0,
	PM_HOTSPOT_SERIAL,
	PM_HOTSPOT_PARALLEL,
	PM_HOTSPOT_G1,
	PM_HOTSPOT_Z,
	PM_HOTSPOT_SHENANDOAH,
	PM_HOTSPOT_EPSILON,
	PM_HOTSPOT_COLLECTORS, /**< number of collectors */
};

/** Returns the collector; PM_HOTSPOT_UNKNOWN if its data structures are not known. */
enum pm_hotspot_collector pm_hotspot_find_collector(const struct pm_hotspot *jvm);

/** Returns whether the JVM uses the generational ZGC. */
bool pm_hotspot_is_generational_z(const struct pm_hotspot *jvm);

/** Adds the Java heap and the card table. */
void pm_hotspot_read_heap(const struct pm_hotspot *jvm, enum pm_hotspot_collector collector);

#endif
