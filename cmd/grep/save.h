/* SPDX-License-Identifier: MIT */
/** @file The file of `procmem grep --save`. */
#ifndef CMD_GREP_SAVE_H
#define CMD_GREP_SAVE_H

#include <procmem/saved_hits.h>

#include "base/new_file.h"
#include "base/out.h"

/** A file of hits that is being written. Zero it first. */
struct grep_save {
	struct pm_saved_hits_writer *writer; /**< NULL if there is no file */
	struct new_file file;                /**< the file */
	const char *path;                    /**< name of the file; borrowed */
	uint64_t count;                      /**< number of hits so far */
};

/**
 * Starts a file.
 *
 * @param save   zeroed; filled; release it with grep_save_close()
 * @param path   name of the file; must outlive `save`
 * @param info   the search and its process
 * @param error  PM_ERROR_IO, PM_ERROR_RESOURCES, PM_ERROR_USAGE
 * @return       0 or -1
 */
int grep_save_open(struct grep_save *save, const char *path, const struct pm_saved_hits_info *info,
                   struct pm_error *error);

/**
 * Adds a hit.
 *
 * @param save   the file
 * @param hit    the hit
 * @param error  PM_ERROR_IO
 * @return       0 or -1
 */
int grep_save_add(struct grep_save *save, const struct pm_saved_hit *hit, struct pm_error *error);

/**
 * Completes the file, and prints the number of hits in it.
 *
 * @param save   the file
 * @param out    where to print; NULL to print nothing
 * @param error  PM_ERROR_IO
 * @return       0 or -1
 */
int grep_save_keep(struct grep_save *save, struct out *out, struct pm_error *error);

/**
 * Removes the file unless it is complete, and releases it.
 * @param save  the file; may be zeroed
 */
void grep_save_close(struct grep_save *save);

#endif
