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

/** Options of a core file. If all fields are zero, the defaults are used. */
struct pm_core_options {
	/**
	 * For a consistent view: a stop that the caller began before the regions were read. NULL if
	 * the process is not stopped during the whole dump.
	 */
	struct pm_stop *stop;
	/**
	 * Only used if `stop` is NULL. If true, the process is stopped for a few milliseconds to
	 * read all registers. If false, the file contains only the stack pointers and program
	 * counters of sleeping threads.
	 */
	bool stop_for_registers;
	/**
	 * Whether to leave out, as the kernel does, the memory that /proc/PID/coredump_filter and
	 * MADV_DONTDUMP exclude (core(5))
	 */
	bool respect_filter;
};

/**
 * Writes an ELF core file (core(5), elf(5)) for debuggers. It contains the chosen ranges as load
 * segments, and notes about the process, its threads and its mapped files.
 *
 * The core file does not contain the bytes of untouched pages of mapped files (debuggers read these
 * pages from the mapped file), of unreadable memory, and, as in core files of the kernel, of
 * regions that were never touched. For this memory, the core file has load segments with a file
 * size of 0. If a debugger reads zeros from the core file, the memory contained zeros.
 *
 * @param source   what to dump; its `process` must not be NULL, and must be a 64-bit process
 * @param options  the options; NULL for the defaults
 * @param fd       an empty regular file, open for writing
 * @param result   as for pm_dump_raw(); `size` is the size of the core file
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
