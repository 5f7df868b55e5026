/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds memory that a process does not touch.
 *
 * The kernel marks a page as referenced when it is accessed (proc_pid_smaps(5), Referenced).
 * Writing `1` to /proc/PID/clear_refs removes the marks of all pages of a process
 * (proc_pid_clear_refs(5)). Resident memory that is not marked some time later was not touched in
 * this time: it is cold.
 *
 * The marks are removed once, so each reading counts all that was touched since then. This changes
 * the target, in ways that docs/KERNEL.md describes:
 * - The process stalls while the marks are removed: it cannot map memory or handle page faults.
 * - The kernel's reclaim takes the pages for old, and may remove them earlier from memory.
 * - Other programs that measure in the same way start again from zero.
 *
 * Limits of the method:
 * - A huge page has one mark, so a touch of one byte counts as 2 MiB (pm_stale_sizes.huge).
 * - Pages of hugetlbfs have no mark that can be read (pm_stale_result.hugetlb).
 * - Pages that io_uring or a device has pinned are accessed without marks
 *   (pm_process_info.vm_pinned).
 * - A page that is mapped more than once has a mark for each mapping: a touch through one mapping
 *   does not count in the others.
 * - A read of the memory by another process, such as a debugger, marks pages, too.
 * - Pages that are shared with other processes, and pages of files: what others touch is not seen
 *   while they run, but the kernel may mark the page when they unmap it or exit, and it marks
 *   pages of files, or removes marks, when the file is read by read(2).
 * - The kernel does not flush the TLB. A page that a CPU uses all the time is marked again only
 *   when its translation leaves the TLB. Observed: up to some tens of milliseconds.
 */
#ifndef PROCMEM_STALE_H
#define PROCMEM_STALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>
#include <procmem/process.h>
#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum number of readings, with the one directly after the marks were removed. */
enum { PM_STALE_READINGS_MAX = 8 };

/** Minimum growth of memory that counts as growing, in bytes. Own choice. */
#define PM_STALE_GROWTH_MIN (UINT64_C(64) << 10)

/** What is known about the time for which a process stalls, before it does. */
struct pm_stale_prediction {
	uint64_t rss;      /**< resident bytes of the process */
	uint64_t huge;     /**< part of `rss` in transparent huge pages, in bytes */
	size_t regions;    /**< number of regions */
	uint64_t stall_us; /**< predicted duration of the stall in microseconds */
};

/** One reading of smaps. */
struct pm_stale_reading {
	double seconds;      /**< time since the marks were removed, at least 0 */
	uint64_t read_us;    /**< duration of the reading in microseconds */
	uint64_t rss;        /**< resident bytes of all regions */
	uint64_t referenced; /**< part of `rss` that is marked, in bytes */
};

/** Whether memory grows, and whether the part of it that is older is touched. */
enum pm_stale_growth {
	/**
	 * Not known: regions were split, there were fewer than three readings, or marks were
	 * removed during the measurement, by another program, the kernel's reclaim or read(2)
	 */
	PM_STALE_GROWTH_UNKNOWN,
	PM_STALE_GROWTH_NONE,      /**< does not grow */
	PM_STALE_GROWTH_TOUCHED,   /**< grows; at least half of the older part was touched */
	PM_STALE_GROWTH_UNTOUCHED, /**< grows; most of the older part was not touched */
};

/** Sizes of a region, or sums over several, in bytes. */
struct pm_stale_sizes {
	uint64_t rss;        /**< resident at the last reading */
	uint64_t referenced; /**< part of `rss` that was touched, at the last reading */
	uint64_t cold;       /**< part of `rss` that was not touched: `rss` - `referenced` */
	uint64_t swap;       /**< swapped out at the last reading; not in `rss` or `cold` */
	uint64_t huge;       /**< part of `rss` in transparent huge pages */
	/** Part of `rss` that is not anonymous: pages of files and shared memory */
	uint64_t shared;
	/** Resident when the marks were removed; 0 if `before_known` is false */
	uint64_t before;
	/** Change of the resident and swapped bytes since then; 0 if `before_known` is false */
	int64_t grown;
	/**
	 * Whether the sizes at that time are known. They are not known for a region that was a part
	 * of a larger one then.
	 */
	bool before_known;
	/**
	 * Pages that appeared after the marks were removed were touched when they appeared. So
	 * `cold` is a part of `before`, and nothing is known about whether the pages that appeared
	 * are touched again.
	 */
	enum pm_stale_growth growth;
};

/** A region. */
struct pm_stale_region {
	struct pm_region region;     /**< the region at the last reading; owned by the handle */
	struct pm_stale_sizes sizes; /**< its sizes */
	/** Touched bytes at each reading; 0 for all if `referenced_known` is false */
	uint64_t referenced[PM_STALE_READINGS_MAX];
	size_t reading_count; /**< number of readings */
	/** Whether the region was no part of a larger one at any reading */
	bool referenced_known;
};

/** All results. */
struct pm_stale_result {
	uint64_t stall_us; /**< how long removing the marks took, in microseconds: the process
	                        stalled for at most this time */
	struct pm_stale_reading readings[PM_STALE_READINGS_MAX]; /**< the readings */
	size_t reading_count;                                    /**< number of readings */
	/** The regions, in the order of pm_stale_regions(); owned by the handle */
	struct pm_stale_region *regions;
	size_t count;                               /**< number of regions */
	struct pm_stale_sizes total;                /**< sums of all regions */
	struct pm_stale_sizes kinds[PM_KIND_COUNT]; /**< sums of the regions of each kind */
	uint64_t hugetlb; /**< bytes in hugetlbfs, about which nothing is known; not in `rss` */
	/**
	 * Bytes of anonymous memory that were marked at one reading, and not at the next one,
	 * although they were still resident. The kernel's reclaim or another program has removed
	 * these marks, so `cold` can be too large. 0 does not mean that no mark was removed.
	 */
	uint64_t lost;
};

/** Measures one process; opaque. Only one thread at a time may use it. */
struct pm_stale;

/**
 * Reads the regions of a process, with their kinds. Nothing in the process is changed yet. The
 * memory of the process is read here, because reading it later would mark pages.
 *
 * @param process  the process; must outlive the handle
 * @param stale    receives the handle; release it with pm_stale_close()
 * @param error    as for pm_maps_read() and pm_kinds_assign()
 * @return         0 or -1
 */
PM_PUBLIC int pm_stale_open(struct pm_process *process, struct pm_stale **stale,
                            struct pm_error *error);

/**
 * Releases a handle.
 * @param stale  a handle or NULL
 */
PM_PUBLIC void pm_stale_close(struct pm_stale *stale);

/**
 * Returns the regions at the last reading or, before the first one, at pm_stale_open().
 *
 * @param stale  the handle
 * @return       the regions with their kinds; valid until the next reading
 */
PM_PUBLIC const struct pm_regions *pm_stale_regions(const struct pm_stale *stale);

/**
 * Predicts for how long the process will stall, from its sizes at pm_stale_open(): 12 ms for each
 * GiB of small pages, 0.2 ms for each GiB of transparent huge pages, 1 µs for each region.
 * docs/KERNEL.md has the measurements. On other machines the time differs by a small factor.
 *
 * @param stale  the handle
 * @return       the prediction
 */
PM_PUBLIC struct pm_stale_prediction pm_stale_predict(const struct pm_stale *stale);

/**
 * Removes the marks of all pages of the process, and takes the first reading. Call it once.
 *
 * @param stale  the handle
 * @param error  PM_ERROR_ACCESS (only the user of the process and root may do this),
 *               PM_ERROR_GONE, PM_ERROR_UNSUPPORTED (the kernel lacks clear_refs), PM_ERROR_IO
 * @return       0 or -1
 */
PM_PUBLIC int pm_stale_clear(struct pm_stale *stale, struct pm_error *error);

/**
 * Takes a reading. Only smaps is read. After a failure, the earlier readings remain valid.
 *
 * @param stale  the handle, after pm_stale_clear()
 * @param error  as for pm_maps_read(); PM_ERROR_RESOURCES if there were PM_STALE_READINGS_MAX
 *               readings
 * @return       0 or -1
 */
PM_PUBLIC int pm_stale_read(struct pm_stale *stale, struct pm_error *error);

/**
 * Returns the last reading.
 *
 * @param stale    the handle
 * @param reading  receives the reading
 * @return         false if there is none
 */
PM_PUBLIC bool pm_stale_last(const struct pm_stale *stale, struct pm_stale_reading *reading);

/**
 * Computes the results from the readings. If the process is still alive, the kinds of regions that
 * have appeared are determined, for which its memory is read. So call it after the last reading.
 *
 * @param stale   the handle, after pm_stale_clear()
 * @param result  filled; its regions are valid until the handle is closed, or this is called again
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_stale_finish(struct pm_stale *stale, struct pm_stale_result *result,
                              struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
