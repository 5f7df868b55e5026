/* SPDX-License-Identifier: MIT */
/** @file FILL core_bytes.c */
#ifndef PM_READER_CORE_BYTES_H
#define PM_READER_CORE_BYTES_H

#include "reader/core_file.h"

/**
 * Reads bytes of the file that must be there.
 * @param what for the error
 * @return 0, or -1 with PM_ERROR_FORMAT or PM_ERROR_IO
 */
int pm_core_read_exactly(const struct pm_core *core, uint64_t offset, void *buffer, size_t size,
                         const char *what, struct pm_error *error);

#endif
