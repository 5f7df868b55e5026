/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Writes the raw bytes of chosen ranges of memory to a file descriptor.
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
 * @param context  pm_dump_source.context
 * @param bytes    number of bytes that were read and written so far
 * @param address  address at which the unit ends
 */
typedef void pm_dump_progress(void *context, uint64_t bytes, uint64_t address);

/** What to dump. Members that are not used must be zero. */
struct pm_dump_source {
	/**
	 * The living target, or NULL for a core file. At the end, the dump checks that the target
	 * is still the same process.
	 */
	struct pm_process *process;
	/** Regions of the target */
	const struct pm_regions *regions;
	/** The chosen ranges, as from pm_select_apply(); NULL if all regions are chosen */
	const struct pm_region_range *ranges;
	size_t count;                       /**< number of ranges */
	const struct pm_page_source *pages; /**< page states of the target */
	/** Reader for the memory of the target */
	struct pm_reader *reader;
	/**
	 * Reader for the mapped files of the target. If it is not NULL, pages of these files that
	 * the target has not touched are dumped, too.
	 */
	struct pm_reader *files;
	/**
	 * Cancellation flag: when non-zero, the dump fails with PM_ERROR_CANCELLED. NULL if there
	 * is none.
	 */
	const volatile sig_atomic_t *cancel;
	/** Called after each unit of the plan (read_plan.h); may be NULL */
	pm_dump_progress *progress;
	/** Called for each unreadable range, by ascending address; may be NULL */
	pm_unreadable_visitor *unreadable;
	void *context; /**< passed to `progress` and `unreadable` */
};

/**
 * Result of a dump. After a successful dump, the sum of `bytes`, `holes`, `untouched`, `forbidden`,
 * `pending` and `unreadable` is the sum of the sizes of the dumped ranges. pm_dump_raw() writes
 * zeros in place of all bytes that `bytes` does not count.
 */
struct pm_dump_result {
	/**
	 * Size of the output in bytes: for pm_dump_raw() the sum of the sizes of the ranges, for
	 * pm_dump_core() the size of the file
	 */
	uint64_t size;
	uint64_t bytes; /**< number of bytes that were read and written */
	/** Number of bytes that were not read, because they are known to be zeros */
	uint64_t holes;
	/**
	 * Number of bytes that were not read, because they are in pages that the target has not
	 * touched. Only pages of mapped files and of shared memory are counted here.
	 */
	uint64_t untouched;
	/**
	 * Number of bytes that must not be read or do not exist: devices, guard pages, addresses at
	 * which nothing is mapped, and bytes that are not in the core file that is dumped.
	 */
	uint64_t forbidden;
	/**
	 * Number of bytes that were not read, because they are in pages that the handler of a
	 * userfaultfd has not provided yet
	 */
	uint64_t pending;
	/** Number of bytes that could not be read */
	uint64_t unreadable;
	uint64_t nanoseconds; /**< duration of the dump in nanoseconds */
	/**
	 * Time in nanoseconds for which the dump itself stopped the target. 0 if the dump did not
	 * stop the target, for example because the caller had already stopped it.
	 */
	uint64_t stopped;
};

/**
 * Writes the ranges one directly after the other: the offset of a range in the output is the sum of
 * the sizes of the ranges before it.
 *
 * If `fd` is a regular file, the output starts at the current file offset. Bytes that were not read
 * become holes of the file. At the end, the file offset is directly after the output. If holes are
 * impossible (pipe, terminal, O_APPEND, a file with bytes after the file offset), zeros are written
 * instead.
 *
 * @param source  what to dump
 * @param fd      descriptor of the output; after a failure, the output may contain a part of the
 *                bytes
 * @param result  receives the result, also on failure
 * @param error   PM_ERROR_GONE (also if, at the end, the PID belongs to another process),
 *                PM_ERROR_CANCELLED, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_dump_raw(const struct pm_dump_source *source, int fd,
                          struct pm_dump_result *result, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
