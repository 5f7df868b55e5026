/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Writes the memory of a living process as an ELF core file.
 */
#ifndef PROCMEM_CORE_DUMP_H
#define PROCMEM_CORE_DUMP_H

#include <procmem/dump.h>
#include <procmem/stop.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Options of a core file. All zero are the defaults. */
struct pm_core_options {
	struct pm_stop *stop;    /**< for a consistent view: a stop that the caller began before it
	                            read the regions; or NULL */
	bool stop_for_registers; /**< used if `stop` is NULL. true: stop the process for a few
	                            milliseconds to read all registers; false: the file contains
	                            only the stack pointers and program counters of sleeping threads
	                          */
	bool respect_filter;     /**< leave out what /proc/PID/coredump_filter and MADV_DONTDUMP
	                            exclude, as the kernel does (core(5)) */
};

/**
 * Writes an ELF core file (core(5), elf(5)) for debuggers: the ranges as load segments, and notes
 * of the process, its threads and its files.
 *
 * The file contains no bytes for these: untouched pages of mapped files (debuggers read them from
 * the mapped file), unreadable bytes, and, as in core files of the kernel, regions that were never
 * touched. They are load segments with a file size of 0. If a debugger reads zeros from the core
 * file, the memory contained zeros.
 *
 * @param source   what to dump; its `process` must not be NULL, and must be a 64-bit process
 * @param options  the options; NULL for the defaults
 * @param fd       an empty regular file, open for writing
 * @param result   as for pm_dump_raw(); `size` is that of the file
 * @param error    as for pm_dump_raw() and pm_stop_begin(); PM_ERROR_UNSUPPORTED for a 32-bit
 *                 process, PM_ERROR_USAGE if `fd` is not an empty regular file, open for writing
 * @return         0 or -1
 */
PM_PUBLIC int pm_dump_core(const struct pm_dump_source *source,
                           const struct pm_core_options *options, int fd,
                           struct pm_dump_result *result, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
