/* SPDX-License-Identifier: MIT */
/** @file Writes regions of a watched process to a file. */
#ifndef CMD_WATCH_SAVE_H
#define CMD_WATCH_SAVE_H

#include <signal.h>

#include <procmem/process.h>
#include <procmem/select.h>

#include "view/progress.h"

/** The regions to write, and the file. */
struct watch_save {
	struct pm_process *process;           /**< the process */
	pid_t pid;                            /**< its PID */
	const struct pm_region_range *ranges; /**< the ranges of bytes to write */
	size_t count;                         /**< number of ranges, at least one */
	const char *path;                     /**< name of the file, which must not exist */
	/** Non-zero: writing is cancelled, and no file remains. */
	const volatile sig_atomic_t *cancel;
	/** Called with the progress; NULL if the progress is not reported. */
	progress_listener *listener;
	void *context; /**< passed to the listener */
};

/**
 * Writes ranges of memory to a new file of mode 0600. If bytes are missing or there are several
 * ranges, the file FILE.map in the same folder lists the contents.
 *
 * @param save    the regions and the file
 * @param bytes   receives the number of bytes read and written, without holes
 * @param error   PM_ERROR_USAGE, PM_ERROR_IO, PM_ERROR_GONE, PM_ERROR_ACCESS, PM_ERROR_CANCELLED;
 *                PM_ERROR_NOT_FOUND if no byte could be read: the region is gone
 * @return        0 or -1
 */
int watch_save(const struct watch_save *save, uint64_t *bytes, struct pm_error *error);

#endif
