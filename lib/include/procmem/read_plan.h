/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Plans which bytes of a process are read: ranges are divided into segments by VmFlags and page
 * states, and the segments are grouped into units.
 *
 * Reading without a plan changes the target: an untouched page of a file or of shared memory
 * becomes resident in the target, an untouched private page needs page tables, and reading a page
 * of a device can have any effect. So only present and swapped pages are read. Untouched pages of
 * private anonymous memory are zeros and need not be read.
 *
 * A plan is computed while it is used, at most 64 MiB of pages in advance, so page states are up to
 * date. It needs less than 1 MiB of memory, for terabytes of address space and any number of
 * regions.
 */
#ifndef PROCMEM_READ_PLAN_H
#define PROCMEM_READ_PLAN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/pagemap.h>
#include <procmem/region.h>
#include <procmem/select.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Type of a segment. */
enum pm_segment_type {
	PM_SEGMENT_RUN,  /**< present or swapped pages: read from the target */
	PM_SEGMENT_HOLE, /**< untouched private anonymous memory, or the shared zero page: zeros,
	                    need not be read */
	PM_SEGMENT_FILE, /**< pages of a mapped file that the target has not touched: the bytes are
	                    in the file */
	PM_SEGMENT_SHARED, /**< pages of shared memory (memfd, shm, SysV, shared anonymous) that the
	                      target has not touched: the bytes are in the shared object */
	PM_SEGMENT_FORBIDDEN, /**< never read: devices, [vvar], [vsyscall], guard pages */
	PM_SEGMENT_MISSING,   /**< not contained in the core file */
	PM_SEGMENT_UNMAPPED,  /**< no memory is mapped there */
	PM_SEGMENT_COUNT,     /**< number of types */
};

/** Contiguous bytes of one type, within one region. */
struct pm_segment {
	uint64_t start;  /**< first address; page aligned unless the chosen range is not */
	uint64_t end;    /**< address after the last byte */
	size_t region;   /**< index of the region; SIZE_MAX for PM_SEGMENT_UNMAPPED */
	const char *why; /**< the reason for its type, human-readable; a constant text */
	uint8_t type;    /**< enum pm_segment_type */
	uint8_t pages;   /**< enum pm_page bits of the pages, or-ed; 0 for untouched pages */
	bool wanted;     /**< its bytes are read: a run, or with pm_plan_options.files a file or
	                    shared segment */
	bool follows; /**< a match can cross from the previous segment into this one: the segments
	                 are adjacent and in the same region, or in regions of which the second
	                 continues the first (pm_region_continues()). The previous segment may be in
	                 the previous unit */
};

/** Maximum number of bytes to read in a unit. */
#define PM_UNIT_SIZE ((size_t)1 << 20)

/**
 * Maximum number of segments of a unit. A unit holds at most 256 pages; if none of them are
 * adjacent, there are as many gaps between them.
 */
#define PM_UNIT_SEGMENTS 512

/**
 * A part of the plan for one worker: consecutive segments of all types. The wanted ones have at
 * most PM_UNIT_SIZE bytes in total. Long segments are split at page boundaries. Short segments are
 * combined in one unit, so that one system call reads many of them.
 */
struct pm_unit {
	uint64_t index;  /**< counts from 0; results of several workers can be ordered by it */
	uint64_t before; /**< number of wanted bytes of other units that are directly before the
	                    first segment, if that segment continues them; a lower bound */
	uint64_t after;  /**< number of wanted bytes of other units that are directly after the last
	                    segment, if they continue it; a lower bound */
	size_t size;     /**< sum of the wanted segments in bytes: the size of the buffer for
	                    pm_unit_read(); may be 0 */
	size_t count;    /**< number of segments, at least 1 */
	struct pm_segment segments[PM_UNIT_SEGMENTS]; /**< by ascending address, without overlaps */
};

/** A source of page states. */
struct pm_page_source {
	/**
	 * Reports the page states of a range, as pm_pagemap_walk() does.
	 * @param context  `context` below
	 */
	int (*walk)(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit,
	            void *visitor, struct pm_error *error);
	void *context; /**< passed to `walk` */
	/**
	 * Type of the pages that `walk` does not report. For a core file, PM_SEGMENT_MISSING. For
	 * a living process, PM_SEGMENT_HOLE: the plan then uses PM_SEGMENT_HOLE, PM_SEGMENT_FILE
	 * or PM_SEGMENT_SHARED, depending on the region.
	 */
	enum pm_segment_type untouched;
};

/**
 * Returns a source for the page states of a living process. It does not report PM_PAGE_FILE, which
 * plans do not need, and which takes most of the time of a walk.
 *
 * @param pagemap  the handle; must outlive the source
 * @return         the source
 */
PM_PUBLIC struct pm_page_source pm_pagemap_source(struct pm_pagemap *pagemap);

/** Options of a plan. All zero are the defaults. */
struct pm_plan_options {
	const struct pm_page_source *pages; /**< page states; NULL: all pages are assumed to be
	                                       present (reading then makes a living target grow) */
	bool files;                         /**< file and shared segments are wanted, too */
	size_t unit_size; /**< maximum number of bytes to read in a unit, a multiple of the page
	                     size; 0 for the maximum, PM_UNIT_SIZE */
	const volatile sig_atomic_t *cancel; /**< when non-zero, pm_plan_next() fails with
	                                        PM_ERROR_CANCELLED; or NULL */
};

/** A plan; opaque. Several threads may use it only with a lock around pm_plan_next(). */
struct pm_plan;

/**
 * Starts a plan.
 *
 * @param regions  the regions; must outlive the plan. A region without VmFlags is treated as a
 *                 device if it has the name of a device
 * @param ranges   the chosen ranges, as from pm_select_apply(); must outlive the plan; NULL: all
 *                 regions
 * @param count    number of ranges
 * @param options  the options; copied, but what they point to must outlive the plan; NULL for the
 *                 defaults
 * @param plan     receives the plan; release with pm_plan_close()
 * @param error    PM_ERROR_USAGE (unit_size), PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_plan_open(const struct pm_regions *regions, const struct pm_region_range *ranges,
                           size_t count, const struct pm_plan_options *options,
                           struct pm_plan **plan, struct pm_error *error);

/**
 * Releases a plan.
 * @param plan  a plan or NULL
 */
PM_PUBLIC void pm_plan_close(struct pm_plan *plan);

/**
 * Returns the next unit.
 *
 * @param plan   the plan
 * @param unit   receives the unit; independent of the plan
 * @param error  PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return       1: a unit; 0: the end; -1: an error
 */
PM_PUBLIC int pm_plan_next(struct pm_plan *plan, struct pm_unit *unit, struct pm_error *error);

/**
 * Returns the number of bytes of a type in the units that pm_plan_next() has returned so far.
 * @param plan  the plan
 * @param type  the type
 * @return      bytes
 */
PM_PUBLIC uint64_t pm_plan_bytes(const struct pm_plan *plan, enum pm_segment_type type);

#ifdef __cplusplus
}
#endif

#endif
