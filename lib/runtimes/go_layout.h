/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Where the data of the Go runtime are: addresses of its variables, and offsets in its structures,
 * which differ between versions of Go. Private.
 */
#ifndef PM_RUNTIMES_GO_LAYOUT_H
#define PM_RUNTIMES_GO_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/region.h>

#include "runtimes/context.h"

/** Offset or size that the debug information does not have. */
#define PM_GO_NONE UINT64_MAX

/** Variables of the package runtime. */
enum pm_go_variable {
	PM_GO_MHEAP,             /**< mheap_ */
	PM_GO_MEMSTATS,          /**< memstats */
	PM_GO_CONTROLLER,        /**< gcController */
	PM_GO_ALLGS,             /**< allgs, a slice */
	PM_GO_SCHED,             /**< sched */
	PM_GO_ISCGO,             /**< iscgo */
	PM_GO_PERSISTENT_CHUNKS, /**< persistentChunks */
	PM_GO_BITS_ARENAS,       /**< gcBitsArenas */
	PM_GO_BUCKHASH,          /**< buckhash */
	PM_GO_VARIABLES,         /**< number of variables */
};

/** Offsets of fields, and sizes of structures, in bytes. */
enum pm_go_field {
	PM_GO_MHEAP_ALLSPANS,
	PM_GO_MHEAP_ALLARENAS,
	PM_GO_MHEAP_ARENAS,
	PM_GO_MHEAP_PAGES,
	PM_GO_PAGES_SUMMARY,
	PM_GO_PAGES_CHUNKS,
	PM_GO_PALLOC_SIZE,
	PM_GO_ARENA_SIZE,
	PM_GO_SPAN_START,
	PM_GO_SPAN_PAGES,
	PM_GO_SPAN_STATE,
	PM_GO_SPAN_ELEMENT,
	PM_GO_STATS_HEAP,
	PM_GO_STATS_COLLECTIONS,
	PM_GO_STATS_PAUSES,
	PM_GO_CONSISTENT_STATS,
	PM_GO_DELTA_SIZE,
	PM_GO_DELTA_HEAP,
	PM_GO_DELTA_STACKS,
	PM_GO_CONTROLLER_LIMIT,
	PM_GO_CONTROLLER_READY,
	PM_GO_CONTROLLER_FREE,
	PM_GO_CONTROLLER_RELEASED,
	PM_GO_CONTROLLER_MARKED,
	PM_GO_SCHED_SYSTEM,
	PM_GO_G_STATUS,
	PM_GO_G_LOCKED,
	PM_GO_FIELDS, /**< number of fields */
};

/** What is known about the runtime of a program. */
struct pm_go_layout {
	uint64_t variables[PM_GO_VARIABLES]; /**< addresses; 0 if not known */
	uint64_t fields[PM_GO_FIELDS];       /**< PM_GO_NONE if not known */
};

/**
 * Reads the layout from the symbols and the debug information of a program.
 *
 * @param context  the context
 * @param region   a region that maps the program
 * @param layout   receives what was found; nothing if the program is stripped
 */
void pm_go_layout_read(struct pm_runtimes_context *context, const struct pm_region *region,
                       struct pm_go_layout *layout);

/** Returns whether a layout has a variable and the fields from `first` to `last`. */
bool pm_go_layout_has(const struct pm_go_layout *layout, enum pm_go_variable variable,
                      enum pm_go_field first, enum pm_go_field last);

#endif
