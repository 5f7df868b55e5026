/* SPDX-License-Identifier: MIT */
/** @file What the parts of the reader of HotSpot share. Private. */
#ifndef PM_RUNTIMES_HOTSPOT_H
#define PM_RUNTIMES_HOTSPOT_H

#include "runtimes/context.h"
#include "runtimes/vm_structs.h"

/** A JVM in the target. */
struct pm_hotspot {
	struct pm_runtimes_context *context; /**< reads, and receives what is found */
	const struct pm_region *library;     /**< a region that maps libjvm.so; NULL in tests */
	struct pm_vm_structs *structs;       /**< its own description of its data structures */
	size_t info;                         /**< index in pm_runtimes.items */
};

#endif
