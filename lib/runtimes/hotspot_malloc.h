/* SPDX-License-Identifier: MIT */
/** @file Blocks of malloc beside memory of HotSpot. Private. */
#ifndef PM_RUNTIMES_HOTSPOT_MALLOC_H
#define PM_RUNTIMES_HOTSPOT_MALLOC_H

#include "runtimes/hotspot.h"

/**
 * Divides regions that contain blocks of malloc and other memory.
 * @param all_known  all memory of the JVM but that of the collector was added
 */
void pm_hotspot_read_malloc(const struct pm_hotspot *jvm, bool all_known);

#endif
