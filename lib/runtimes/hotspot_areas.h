/* SPDX-License-Identifier: MIT */
/** @file Memory that HotSpot reserves beside its heap. Private. */
#ifndef PM_RUNTIMES_HOTSPOT_AREAS_H
#define PM_RUNTIMES_HOTSPOT_AREAS_H

#include "runtimes/hotspot.h"

/** Adds the code cache, the CDS archive, and the memory of performance counters. */
void pm_hotspot_read_areas(const struct pm_hotspot *jvm);

/** Adds metaspace and class space. Returns whether both were found. */
bool pm_hotspot_read_metaspace(const struct pm_hotspot *jvm);

#endif
