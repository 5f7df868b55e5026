/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Writes memory to a file descriptor: the raw bytes of chosen ranges.
 */
#ifndef PROCMEM_DUMP_H
#define PROCMEM_DUMP_H

#include <procmem/unit_read.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Called after each unit.
 *
 * @param context  as given in pm_dump_source
 * @param bytes    number of bytes read and written so far
 * @param address  end of the unit
 */
typedef void pm_dump_progress(void *context, uint64_t bytes, uint64_t address);

/** What to dump. Members that are not used must be zero. */
struct pm_dump_source {
	struct pm_process *process; /**< the living target, which is checked at the end; NULL for a
	                               core file */
	const struct pm_regions *regions;     /**< its regions */
	const struct pm_region_range *ranges; /**< the chosen ranges, as from pm_select_apply();
	                                         NULL: all regions */
	size_t count;                         /**< number of ranges */
	const struct pm_page_source *pages;   /**< its page states */
	struct pm_reader *reader;             /**< its memory */
	struct pm_reader *files; /**< its mapped files, if untouched pages are wanted, too; or
	                            NULL */
	const volatile sig_atomic_t *cancel; /**< when non-zero, the dump fails with
	                                        PM_ERROR_CANCELLED; or NULL */
	pm_dump_progress *progress;          /**< or NULL */
	pm_unreadable_visitor *unreadable;   /**< called for each unreadable range, by ascending
	                                        address; or NULL */
	void *context;                       /**< passed to both */
};

/** Result of a dump. The sum of the five byte counts is the size of the ranges. */
struct pm_dump_result {
	uint64_t size;      /**< sum of the sizes of the ranges */
	uint64_t bytes;     /**< read and written */
	uint64_t holes;     /**< known to be zeros, not read */
	uint64_t untouched; /**< zeros for untouched pages of files and shared memory that were not
	                       wanted */
	uint64_t forbidden; /**< zeros for bytes that are not read: devices, guard pages, bytes that
	                       are not mapped or not in the core file */
	uint64_t unreadable;  /**< zeros for bytes whose read failed */
	uint64_t nanoseconds; /**< duration */
	uint64_t stopped;     /**< time during which the dump itself stopped the target, in
	                         nanoseconds */
};

/**
 * Writes the bytes of the ranges without gaps: the offset of a range is the sum of the sizes of the
 * ranges before it.
 *
 * In a regular file, from the current position, only bytes that were read are written. The others
 * are holes, and at the end the position is after the last byte. If that is impossible (pipe,
 * terminal, O_APPEND, a file with bytes after the position), zeros are written.
 *
 * @param source  what to dump
 * @param fd      the output; on failure it may contain a part
 * @param result  receives the result, also on failure
 * @param error   PM_ERROR_GONE (also if the PID is another process at the end), PM_ERROR_CANCELLED,
 *                PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_dump_raw(const struct pm_dump_source *source, int fd,
                          struct pm_dump_result *result, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
