/* SPDX-License-Identifier: MIT */
/** @file Opening a core file by its descriptor. Private. */
#ifndef PM_READER_CORE_H
#define PM_READER_CORE_H

#include <procmem/core.h>

/**
 * Opens a core file, as pm_core_open() does, from a descriptor.
 * @param fd  descriptor of the file; owned by the core file, and closed on failure
 */
int pm_core_open_fd(int fd, struct pm_core **core, struct pm_error *error);

#endif
