/* SPDX-License-Identifier: MIT */
/** @file The code that the kernel maps into every process. Private. */
#ifndef PM_DUMP_SELF_VDSO_H
#define PM_DUMP_SELF_VDSO_H

#include <stddef.h>

/**
 * Our own [vdso] (vdso(7)), which every process of our width shares with us. Debuggers need all of
 * it, while a process touches the page with the code only.
 *
 * @param size  where to store its length in bytes, a multiple of the page size
 * @return      the bytes; NULL where we have none
 */
const char *pm_self_vdso(size_t *size);

#endif
