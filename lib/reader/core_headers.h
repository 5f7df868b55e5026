/* SPDX-License-Identifier: MIT */
/** @file The ELF headers of a core file. Private. */
#ifndef PM_READER_CORE_HEADERS_H
#define PM_READER_CORE_HEADERS_H

#include "reader/core_file.h"

/**
 * Reads the ELF header and the program headers, and the notes with pm_core_read_notes().
 *
 * @param core   the core file; `fd` and `size` must be set. Receives the class, the byte order, the
 *               segments and the contents of the notes
 * @param error  PM_ERROR_FORMAT, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_core_read_headers(struct pm_core *core, struct pm_error *error);

#endif
