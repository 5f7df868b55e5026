/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What to read of a process, and what not: the chosen ranges, cut into segments by VmFlags and page
 * states, handed out in units.
 *
 * Reading changes a target unless it is planned: an untouched page of a file or of shared memory
 * becomes resident in the target when it is read, an untouched private page costs it page tables, a
 * device page may do anything. So only pages that are present or swapped are read; a hole of
 * private anonymous memory is known to be zeros without a read.
 *
 * The plan is made piece by piece while it is used: it looks ahead by 64 MiB of pages at most, so
 * page states are fresh when they are acted upon, and its memory stays below 1 MiB for terabytes of
 * address space and any number of regions.
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

/** What a segment is. */
enum pm_segment_type {
	PM_SEGMENT_RUN,  /**< present or swapped pages: read from the target */
	PM_SEGMENT_HOLE, /**< private anonymous memory, never touched, or the kernel's zero page:
	                    zeros, nothing to read */
	PM_SEGMENT_FILE, /**< pages of a mapped file that the target has not touched: the bytes are
	                    those of the file */
	PM_SEGMENT_SHARED, /**< the same for shared memory (memfd, shm, SysV, shared anonymous): the
	                      bytes are those of the shared object */
	PM_SEGMENT_FORBIDDEN, /**< never read: devices, [vvar], [vsyscall], guard pages */
	PM_SEGMENT_MISSING,   /**< not contained in the core file */
	PM_SEGMENT_UNMAPPED,  /**< nothing is mapped there */
	PM_SEGMENT_COUNT,     /**< number of types, for tables */
};

/** Consecutive bytes of one type, within one region. */
struct pm_segment {
	uint64_t start;  /**< first address; page aligned unless the chosen range is not */
	uint64_t end;    /**< address behind the last byte */
	size_t region;   /**< index of the region it lies in; SIZE_MAX for PM_SEGMENT_UNMAPPED */
	const char *why; /**< why it is of this type, for people; a constant text */
	uint8_t type;    /**< enum pm_segment_type */
	uint8_t pages;   /**< enum pm_page bits that some of its pages have; 0 for pages that were
	                    never touched */
	bool wanted;  /**< its bytes are to be read: a run, or with pm_plan_options.files a file or
	                 shared segment */
	bool follows; /**< it begins where the segment before it (also that of the unit before)
	                 ended, in the same region or in one that continues it
	                 (pm_region_continues()): a match may cross from one into the other */
};

/** Most bytes to read in a unit. */
#define PM_UNIT_SIZE ((size_t)1 << 20)

/** Most segments of a unit: 256 scattered pages, which fill a unit, and the gaps between them. */
#define PM_UNIT_SEGMENTS 512

/**
 * A part of the plan for one worker: consecutive segments of all types, of which the wanted ones
 * together have no more than PM_UNIT_SIZE bytes. Long segments are cut between two pages; small
 * ones are packed together, so that one system call reads many.
 */
struct pm_unit {
	uint64_t index;  /**< counts from 0, so that workers can put their results in order */
	uint64_t before; /**< wanted bytes of other units directly before the first segment, which
	                    follows on them; may be fewer than there are */
	uint64_t after;  /**< the same behind the last segment */
	size_t size; /**< sum of the wanted segments in bytes: the buffer that pm_unit_read() fills;
	                may be 0 */
	size_t count;                                 /**< how many segments, at least 1 */
	struct pm_segment segments[PM_UNIT_SEGMENTS]; /**< by ascending address, without overlaps */
};

/** Where a plan finds out which pages are there. */
struct pm_page_source {
	/**
	 * As pm_pagemap_walk().
	 * @param context of the source
	 */
	int (*walk)(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit,
	            void *visitor, struct pm_error *error);
	void *context;                  /**< handed to it */
	enum pm_segment_type untouched; /**< what pages in no run are: PM_SEGMENT_HOLE for a living
	                                   process (where it means hole, file or shared, by the
	                                   region), PM_SEGMENT_MISSING for a core file */
};

/**
 * The page states of a living process as a source. It need not tell PM_PAGE_FILE, which takes the
 * kernel most of the time of a walk and changes nothing in a plan.
 *
 * @param pagemap  the handle; must outlive the source
 * @return         the source
 */
PM_PUBLIC struct pm_page_source pm_pagemap_source(struct pm_pagemap *pagemap);

/** How to plan. All zeros is a good start. */
struct pm_plan_options {
	const struct pm_page_source *pages; /**< page states; NULL: all pages are taken to be there
	                                       (reading so makes a living target grow) */
	bool files;       /**< want the bytes of file and shared segments as well */
	size_t unit_size; /**< most bytes to read in a unit, a multiple of the page size; 0 means
	                     PM_UNIT_SIZE, the most */
	const volatile sig_atomic_t *cancel; /**< when it becomes non-zero, pm_plan_next() ends with
	                                        PM_ERROR_CANCELLED; or NULL */
};

/**
 * A plan in progress; opaque. Not to be shared between threads without a lock around
 * pm_plan_next().
 */
struct pm_plan;

/**
 * Starts a plan.
 *
 * @param regions  the regions; must outlive the plan. Those without VmFlags are planned with care:
 * what looks like a device by its name is taken for one
 * @param ranges   the chosen ranges, as pm_select_apply() gives them; must outlive the plan; NULL
 * means all regions
 * @param count    how many ranges
 * @param options  how to plan; copied, but what it points to must outlive the plan; NULL for all
 * zeros
 * @param plan     where to store the plan; release with pm_plan_close()
 * @param error    PM_ERROR_USAGE (unit_size), PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_plan_open(const struct pm_regions *regions, const struct pm_region_range *ranges,
                           size_t count, const struct pm_plan_options *options,
                           struct pm_plan **plan, struct pm_error *error);

/**
 * Releases a plan.
 * @param plan a plan or NULL
 */
PM_PUBLIC void pm_plan_close(struct pm_plan *plan);

/**
 * Hands out the next unit.
 *
 * @param plan   the plan
 * @param unit   filled when there is one; independent of the plan afterwards
 * @param error  PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return       1: a unit; 0: the end; -1: an error
 */
PM_PUBLIC int pm_plan_next(struct pm_plan *plan, struct pm_unit *unit, struct pm_error *error);

/**
 * Bytes of a type in the units handed out so far.
 * @param plan the plan
 * @param type the type
 * @return bytes
 */
PM_PUBLIC uint64_t pm_plan_bytes(const struct pm_plan *plan, enum pm_segment_type type);

#ifdef __cplusplus
}
#endif

#endif
