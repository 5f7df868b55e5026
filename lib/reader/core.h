/* SPDX-License-Identifier: MIT */
/** @file FILL core.c */
#ifndef PM_READER_CORE_H
#define PM_READER_CORE_H

#include "reader/core_file.h"

/**
 * Opens a core file by its descriptor, which it takes over also on failure. Otherwise as
 * pm_core_open().
 */
int pm_core_open_fd(int fd, struct pm_core **core, struct pm_error *error);

#endif
