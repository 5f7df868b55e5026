/* SPDX-License-Identifier: MIT */
/** @file The ELF headers of a core file. Private. */
#ifndef PM_READER_CORE_HEADERS_H
#define PM_READER_CORE_HEADERS_H

#include "reader/core_file.h"

/**
 * Reads the ELF header and the program headers, and the notes with pm_core_read_notes().
 *
 * @param core   the core file, with `fd` and `size` set; class, byte order, segments and the
 *               results of the notes are filled
 * @param error  PM_ERROR_FORMAT, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_core_read_headers(struct pm_core *core, struct pm_error *error);

#endif
