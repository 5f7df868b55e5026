/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The directories in tmpfs that matter: those that hold, or have gained, a large part of the
 * bytes of their file system.
 *
 * A directory is a row if at least PM_TMPFS_ROW_PERCENT of the bytes of the mount, or of their
 * growth, is in it and in those directories below it that are not rows. Each file is counted in one
 * row, so the rows can be added. What is left in the root of a file system is a row, too.
 */
#ifndef PROCMEM_TMPFS_ROWS_H
#define PROCMEM_TMPFS_ROWS_H

#include <procmem/tmpfs.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Share of the bytes of a mount, or of their growth, from which on a directory is a row, in
 * percent. */
#define PM_TMPFS_ROW_PERCENT 5

/** A directory, with those directories below it that are not rows. */
struct pm_tmpfs_row {
	char *path; /**< path with a final "/", as the process sees it, any bytes but NUL; owned */
	size_t folder;  /**< index in pm_tmpfs.folders */
	uint64_t files; /**< number of files */
	uint64_t bytes; /**< bytes allocated for these files */
	/**
	 * Whether `rate` is known. It is not known without an earlier walk, or if a bound ended one
	 * of the two walks before it had read all directories of the row. The bound of the depth
	 * does not count: directories below are in neither walk.
	 */
	bool rate_known;
	double rate; /**< growth in bytes per second, negative if the files shrank; 0 if not known
	              */
};

/** The rows. */
struct pm_tmpfs_rows {
	struct pm_tmpfs_row
		*items; /**< by descending rate if one grows, then by descending size; owned
	                 */
	size_t count;   /**< number of elements of `items` */
};

/**
 * Finds the directories that matter. Files of directories that were deleted since the earlier walk
 * count as shrinkage of the nearest directory above that still exists.
 *
 * @param now     the files
 * @param before  the files at an earlier time; NULL if there are none
 * @param rows    receives the rows; release them with pm_tmpfs_rows_deinit()
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_tmpfs_rows_find(const struct pm_tmpfs *now, const struct pm_tmpfs *before,
                                 struct pm_tmpfs_rows *rows, struct pm_error *error);

/**
 * Releases the rows.
 * @param rows  filled by pm_tmpfs_rows_find(), or zeroed
 */
PM_PUBLIC void pm_tmpfs_rows_deinit(struct pm_tmpfs_rows *rows);

#ifdef __cplusplus
}
#endif

#endif
