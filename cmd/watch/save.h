/* SPDX-License-Identifier: MIT */
/** @file Writing regions of a watched process to a file. */
#ifndef CMD_WATCH_SAVE_H
#define CMD_WATCH_SAVE_H

#include <signal.h>

#include <procmem/select.h>

#include "view/progress.h"
#include "watch/watch.h"

/** What is to be written, and where to. */
struct watch_save {
	const struct watch *watch;            /**< the process */
	const struct pm_region_range *ranges; /**< which bytes */
	size_t count;                         /**< how many ranges, at least one */
	const char *path;                     /**< name of the file, which must not exist yet */
	const volatile sig_atomic_t
		*cancel;             /**< ends it when it becomes non-zero; then there is no file */
	progress_listener *listener; /**< told how far it has come; NULL: nobody */
	void *context;               /**< of the listener */
};

/**
 * Writes bytes to a new file of mode 0600. Beside it FILE.map, where some lack or there are several
 * ranges.
 *
 * @param save    what
 * @param bytes   where to store how many bytes were read and written, holes not counted
 * @param error   PM_ERROR_USAGE, PM_ERROR_IO, PM_ERROR_GONE, PM_ERROR_ACCESS, PM_ERROR_CANCELLED,
 * PM_ERROR_NOT_FOUND where no byte could be read: the region is gone
 * @return        0 or -1
 */
int watch_save(const struct watch_save *save, uint64_t *bytes, struct pm_error *error);

#endif
