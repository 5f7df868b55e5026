/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Plans which bytes of a process are read: the chosen ranges are divided into segments according to
 * VmFlags and page states, and the segments are grouped into units.
 *
 * Reading without a plan changes the target. An untouched page of a file or of shared memory
 * becomes resident in the target. For an untouched private page, the kernel allocates page tables.
 * Reading memory of a device can have side effects. So a plan reads only present and swapped pages
 * from the target. Untouched pages of private anonymous memory are zeros and need not be read.
 *
 * A plan is computed while it is used. Page states are read only shortly before they are needed, at
 * most 64 MiB of pages in advance, so that they are up to date. A plan needs less than 1 MiB of
 * memory, even for terabytes of address space and any number of regions.
 */
#ifndef PROCMEM_READ_PLAN_H
#define PROCMEM_READ_PLAN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/pagemap.h>
#include <procmem/range.h>
#include <procmem/region.h>
#include <procmem/select.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Type of a segment. */
enum pm_segment_type {
	/** Present or swapped pages. They are read from the target. */
	PM_SEGMENT_RUN,
	/**
	 * Untouched private anonymous memory, the shared zero page, or a hole of a core file. The
	 * bytes are zeros and need not be read.
	 */
	PM_SEGMENT_HOLE,
	/** Pages of a mapped file that the target has not touched. The bytes are in the file. */
	PM_SEGMENT_FILE,
	/**
	 * Pages of shared memory (memfd, shm, SysV, shared anonymous) that the target has not
	 * touched. The bytes are in the shared memory object.
	 */
	PM_SEGMENT_SHARED,
	/**
	 * Memory that is never read: devices, guard pages, [vvar] and [vsyscall]. Also untouched
	 * pages of [vdso], and untouched pages of memory that memfd_secret(2) provides
	 */
	PM_SEGMENT_FORBIDDEN,
	/**
	 * Missing pages in regions with userfaultfd: the handler has not provided them yet. They
	 * are not read.
	 */
	PM_SEGMENT_PENDING,
	/** Memory that the core file does not contain */
	PM_SEGMENT_MISSING,
	/** Addresses at which nothing is mapped */
	PM_SEGMENT_UNMAPPED,
	/** Number of types */
	PM_SEGMENT_COUNT,
};

/** Contiguous bytes of one type, within one region. */
struct pm_segment {
	/** First address. It is page aligned, unless the chosen range starts within a page. */
	uint64_t start;
	uint64_t end;  /**< address after the last byte */
	size_t region; /**< index of the region; SIZE_MAX for PM_SEGMENT_UNMAPPED */
	/** Reason for the type of the segment, a human-readable constant text */
	const char *why;
	uint8_t type;  /**< enum pm_segment_type */
	uint8_t pages; /**< union of the enum pm_page bits of the pages; 0 for untouched pages */
	/**
	 * Whether the bytes are to be read. True for PM_SEGMENT_RUN. If pm_plan_options.files is
	 * true, also true for PM_SEGMENT_FILE and PM_SEGMENT_SHARED
	 */
	bool wanted;
	/**
	 * Whether a match can extend from the previous segment into this segment. The two segments
	 * are then adjacent, and they are in the same region, or in two regions of which the second
	 * continues the first (pm_region_continues()). The previous segment can be the last segment
	 * of the previous unit.
	 */
	bool follows;
};

/** Maximum number of bytes to read in a unit. */
#define PM_UNIT_SIZE ((size_t)1 << 20)

/**
 * Maximum number of segments of a unit. A unit has at most 256 wanted pages (of 4 KiB). In the
 * worst case, each of these pages is a segment, and an unwanted segment follows it.
 */
#define PM_UNIT_SEGMENTS 512

/**
 * A part of the plan that is read at once: consecutive segments of all types. The segments that are
 * wanted (pm_segment.wanted) have at most PM_UNIT_SIZE bytes in total. Long segments are split at
 * page boundaries. Short segments are combined in one unit, so that one system call reads many of
 * them.
 */
struct pm_unit {
	/**
	 * Number of the unit, counted from 0. If several threads process units, their results can
	 * be ordered by this number.
	 */
	uint64_t index;
	/**
	 * Number of wanted bytes directly before the first segment. These bytes are in previous
	 * units. 0 if the first segment does not follow a wanted segment (pm_segment.follows).
	 */
	uint64_t before;
	/**
	 * Number of wanted bytes directly after the last segment, up to the end of the next segment
	 * of the plan. These bytes are in later units. More wanted bytes can follow; they are not
	 * counted. 0 if the last segment is not wanted, or if no wanted segment follows it
	 * (pm_segment.follows).
	 */
	uint64_t after;
	/**
	 * Sum of the sizes of the wanted segments in bytes. The buffer for pm_unit_read() needs
	 * this size. May be 0.
	 */
	size_t size;
	size_t count;                                 /**< number of segments, at least 1 */
	struct pm_segment segments[PM_UNIT_SEGMENTS]; /**< by ascending address, without overlaps */
};

/** A source of page states. */
struct pm_page_source {
	/**
	 * Reports the page states of a range of addresses, as pm_pagemap_walk() does.
	 * @param context  pm_page_source.context
	 * @param visitor  passed to `visit` as its context
	 */
	int (*walk)(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit,
	            void *visitor, struct pm_error *error);
	void *context; /**< passed to `walk` */
	/**
	 * Type of the pages that `walk` does not report. For a core file: PM_SEGMENT_MISSING. For a
	 * living process: PM_SEGMENT_HOLE; the plan then determines the actual type from the region
	 * of the pages, such as PM_SEGMENT_FILE in a mapped file.
	 */
	enum pm_segment_type untouched;
};

/**
 * Returns a source for the page states of a living process. The source does not report
 * PM_PAGE_FILE: plans do not need this bit, and determining it would take most of the time of a
 * walk.
 *
 * @param pagemap  the handle; must outlive the source
 * @return         the source
 */
PM_PUBLIC struct pm_page_source pm_pagemap_source(struct pm_pagemap *pagemap);

/**
 * Maximum size in bytes of a range whose page states are read at once, so that the caller can be
 * cancelled, or can test a limit of time, before the next range. If no page of the range was
 * touched, PAGEMAP_SCAN takes microseconds. /proc/PID/pagemap has 16 MiB of entries for the range,
 * which take about 10 ms (measured on Linux 6.18).
 */
#define PM_PAGE_STEP (UINT64_C(8) << 30)

/**
 * Takes the next part, of at most PM_PAGE_STEP bytes, from the start of a range.
 *
 * @param rest  the range; receives what follows the part
 * @param step  receives the part
 * @return      false, and `step` is unchanged, if the range is empty
 */
static inline bool pm_page_step(struct pm_range *rest, struct pm_range *step)
{
	if (rest->start >= rest->end)
		return false;

	step->start = rest->start;
	step->end = rest->start + pm_min(pm_range_size(*rest), PM_PAGE_STEP);
	rest->start = step->end;
	return true;
}

/** A source that finds the holes of mapped files. Holes contain zeros and need not be read. */
struct pm_hole_source {
	/**
	 * Finds the first part of a range of a region that is in a hole of the mapped file, or that
	 * is in no hole. NULL if there is no source.
	 *
	 * @param context  the context of the source
	 * @param region   a region that maps a file or shared memory
	 * @param range    a part of the region, not empty
	 * @param hole     receives whether the part is in a hole
	 * @return         the end of the part, above the start of the range and at most its end
	 */
	uint64_t (*find)(void *context, const struct pm_region *region, struct pm_range range,
	                 bool *hole);
	void *context; /**< passed to `find` */
};

/** Options of a plan. If all fields are zero, the defaults are used. */
struct pm_plan_options {
	/**
	 * Source of the page states. If NULL, all pages are assumed to be present. Then untouched
	 * pages are read, too. A living target uses more memory afterwards.
	 */
	const struct pm_page_source *pages;
	bool files; /**< whether PM_SEGMENT_FILE and PM_SEGMENT_SHARED are wanted, too */
	/**
	 * Maximum number of bytes to read in a unit: a multiple of the page size, at most
	 * PM_UNIT_SIZE; 0 means PM_UNIT_SIZE
	 */
	size_t unit_size;
	/**
	 * Cancellation flag: when non-zero, pm_plan_next() fails with PM_ERROR_CANCELLED. NULL if
	 * there is none.
	 */
	const volatile sig_atomic_t *cancel;
	/**
	 * Source of the holes in mapped files, for file and shared segments. Holes become segments
	 * of the type PM_SEGMENT_HOLE
	 */
	struct pm_hole_source holes;
};

/** A plan; opaque. Several threads may use it only with a lock around pm_plan_next(). */
struct pm_plan;

/**
 * Starts a plan.
 *
 * @param regions  the regions; must outlive the plan. If the VmFlags of a region are not known, the
 *                 name of the region determines whether the region is treated as a device
 * @param ranges   the chosen ranges, as from pm_select_apply(); must outlive the plan. If NULL, all
 *                 regions are chosen
 * @param count    number of ranges
 * @param options  the options, or NULL for the defaults. The structure is copied, but the objects
 *                 to which it points must outlive the plan
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
 * @param unit   receives the unit, which remains valid after the plan was released
 * @param error  PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_CANCELLED
 * @return       1 if a unit was returned; 0 if there are no more units; -1 on an error
 */
PM_PUBLIC int pm_plan_next(struct pm_plan *plan, struct pm_unit *unit, struct pm_error *error);

/**
 * Returns the number of bytes of a type in the units that pm_plan_next() has returned so far.
 * @param plan  the plan
 * @param type  the type
 * @return      the number of bytes
 */
PM_PUBLIC uint64_t pm_plan_bytes(const struct pm_plan *plan, enum pm_segment_type type);

#ifdef __cplusplus
}
#endif

#endif
