/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Copying memory to a file descriptor: raw bytes of chosen ranges, one behind the other.
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
 * @param bytes    bytes read and written so far
 * @param address  where the dump has come to
 */
typedef void pm_dump_progress(void *context, uint64_t bytes, uint64_t address);

/** What to dump. Zero it and fill in what there is. */
struct pm_dump_source {
	struct pm_process *process; /**< the living target, whose identity is checked at the end;
	                               NULL for a core file */
	const struct pm_regions *regions;     /**< its regions */
	const struct pm_region_range *ranges; /**< the chosen ranges, as pm_select_apply() gives
	                                  them; NULL: all regions */
	size_t count;                         /**< how many ranges */
	const struct pm_page_source *pages;   /**< its page states */
	struct pm_reader *reader;             /**< its memory */
	struct pm_reader *files; /**< the files behind it, where pages that it never touched are
	                            wanted as well; or NULL */
	const volatile sig_atomic_t *cancel; /**< when it becomes non-zero, the dump ends with
	                                        PM_ERROR_CANCELLED; or NULL */
	pm_dump_progress *progress;          /**< or NULL */
	pm_unreadable_visitor *unreadable;   /**< told of every range that could not be read, by
	                                        ascending address; or NULL */
	void *context;                       /**< handed to both */
};

/** What became of a dump. The five byte counts add up to the size. */
struct pm_dump_result {
	uint64_t size;      /**< sum of the ranges */
	uint64_t bytes;     /**< read and written */
	uint64_t holes;     /**< known to be zeros without reading */
	uint64_t untouched; /**< zeros for pages of files and shared memory that were never touched,
	                       and not asked for */
	uint64_t forbidden; /**< zeros for what is never read: devices, guard pages, what a core
	                       file does not hold, what is not mapped */
	uint64_t unreadable;  /**< zeros for what was tried and refused */
	uint64_t nanoseconds; /**< how long it took */
	uint64_t stopped; /**< for how many nanoseconds of that the target was stopped by the dump
	                     itself */
};

/**
 * Writes the bytes of the ranges with nothing between them: a range begins where the sizes of those
 * before it add up to.
 *
 * Into a regular file only what was read is written, from the current position on, and the rest is
 * left as holes; the position is behind the last byte afterwards. Where that is impossible (pipe,
 * terminal, O_APPEND, a file that has bytes there already) zeros are written.
 *
 * @param source  what to dump
 * @param fd      where to; on failure it may hold a part
 * @param result  filled on success, and on failure with what was done until then
 * @param error   PM_ERROR_GONE (also when the target is another one at the end),
 * PM_ERROR_CANCELLED, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_dump_raw(const struct pm_dump_source *source, int fd,
                          struct pm_dump_result *result, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
