/* SPDX-License-Identifier: MIT */
/** @file Writing regions of a watched process to a file. */
#ifndef CMD_WATCH_SAVE_H
#define CMD_WATCH_SAVE_H

#include <signal.h>

#include <procmem/select.h>

#include "watch.h"

/**
 * Writes bytes to a new file of mode 0600. Beside it FILE.map, where some lack or there are several ranges.
 *
 * @param watch   the process
 * @param ranges  which bytes
 * @param count   how many ranges, at least one
 * @param path    name of the file, which must not exist yet
 * @param cancel  ends it when it becomes non-zero
 * @param bytes   where to store how many bytes were read and written, holes not counted
 * @param error   PM_ERROR_USAGE, PM_ERROR_IO, PM_ERROR_GONE, PM_ERROR_ACCESS, PM_ERROR_CANCELLED, PM_ERROR_NOT_FOUND where no
 *                byte could be read: the region is gone
 * @return        0 or -1
 */
int watch_save(const struct watch *watch, const struct pm_range *ranges, size_t count, const char *path,
               const volatile sig_atomic_t *cancel, uint64_t *bytes, struct pm_error *error);

#endif
