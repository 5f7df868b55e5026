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
 * Called after each unit of the plan (read_plan.h).
 *
 * @param context  as given in pm_dump_source
 * @param bytes    number of bytes read and written so far
 * @param address  end of the unit
 */
typedef void pm_dump_progress(void *context, uint64_t bytes, uint64_t address);

/** What to dump. Members that are not used must be zero. */
struct pm_dump_source {
	struct pm_process *process; /**< the living target; the dump checks at the end that it is
	                               still the same process; NULL for a core file */
	const struct pm_regions *regions;     /**< its regions */
	const struct pm_region_range *ranges; /**< the chosen ranges, as from pm_select_apply();
	                                         NULL: all regions */
	size_t count;                         /**< number of ranges */
	const struct pm_page_source *pages;   /**< page states of the target */
	struct pm_reader *reader;             /**< its memory */
	struct pm_reader *files; /**< reader for the mapped files of the target, to dump also the
	                            pages that it has not touched; or NULL */
	const volatile sig_atomic_t *cancel; /**< when non-zero, the dump fails with
	                                        PM_ERROR_CANCELLED; or NULL */
	pm_dump_progress *progress;          /**< or NULL */
	pm_unreadable_visitor *unreadable;   /**< called for each unreadable range, by ascending
	                                        address; or NULL */
	void *context;                       /**< passed to `progress` and `unreadable` */
};

/**
 * Result of a dump. The sum of `bytes`, `holes`, `untouched`, `forbidden` and `unreadable` is the
 * size of the dumped ranges.
 */
struct pm_dump_result {
	uint64_t size;  /**< size of the output in bytes: for pm_dump_raw() the sum of the sizes of
	                   the ranges, for pm_dump_core() the size of the file */
	uint64_t bytes; /**< bytes that were read and written */
	uint64_t holes; /**< bytes that were not read, because they are known to be zeros */
	uint64_t untouched; /**< bytes of untouched pages of files and shared memory, which were not
	                       read; zeros in the output */
	uint64_t forbidden; /**< bytes that must not or cannot be read: devices, guard pages, bytes
	                       that are not mapped or not in the core file; zeros in the output */
	uint64_t unreadable;  /**< bytes that could not be read; zeros in the output */
	uint64_t nanoseconds; /**< duration of the dump in nanoseconds */
	uint64_t stopped;     /**< time during which the dump itself stopped the target, in
	                         nanoseconds */
};

/**
 * Writes the bytes of the ranges without gaps: the offset of a range is the sum of the sizes of the
 * ranges before it.
 *
 * If `fd` is a regular file, the output starts at the current file offset. Bytes that were not read
 * become holes, and at the end the file offset is after the last byte. If holes are impossible
 * (pipe, terminal, O_APPEND, a file with bytes after the file offset), zeros are written instead.
 *
 * @param source  what to dump
 * @param fd      the output; after a failure it may contain a part of the bytes
 * @param result  receives the result, also on failure
 * @param error   PM_ERROR_GONE (also if the PID belongs to another process at the end),
 *                PM_ERROR_CANCELLED, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_dump_raw(const struct pm_dump_source *source, int fd,
                          struct pm_dump_result *result, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
