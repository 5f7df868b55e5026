/* SPDX-License-Identifier: MIT */
/** @file Opening a core file by its descriptor. Private. */
#ifndef PM_READER_CORE_H
#define PM_READER_CORE_H

#include <procmem/core.h>

/**
 * Opens a core file, as pm_core_open() does, but from a descriptor.
 *
 * @param fd     descriptor of the file; pm_core_close() closes it, or this function if it fails
 * @param core   receives the core file; release with pm_core_close()
 * @param error  PM_ERROR_FORMAT, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_core_open_fd(int fd, struct pm_core **core, struct pm_error *error);

#endif
