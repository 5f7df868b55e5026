/* SPDX-License-Identifier: MIT */
/** @file FILL core_headers.c */
#ifndef PM_READER_CORE_HEADERS_H
#define PM_READER_CORE_HEADERS_H

#include "reader/core.h"

/**
 * Reads the ELF header and the program headers: segments and byte order. For notes it calls
 * pm_core_read_notes().
 */
int pm_core_read_headers(struct pm_core *core, struct pm_error *error);

#endif
