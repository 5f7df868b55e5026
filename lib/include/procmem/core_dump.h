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
	 * The stop of the process (pm_stop_begin()). For a consistent dump, begin the stop before
	 * you read the regions. If NULL, the process runs during the dump.
	 */
	struct pm_stop *stop;
	/**
	 * Only used if `stop` is NULL. If true, the process is stopped for a few milliseconds to
	 * read all registers. If false, the process is not stopped. The file then contains only two
	 * registers of each sleeping thread, the stack pointer and the program counter, and no
	 * registers of running threads.
	 */
	bool stop_for_registers;
	/**
	 * If true, memory that /proc/PID/coredump_filter or MADV_DONTDUMP excludes is left out, as
	 * the kernel does in its core files (core(5)).
	 */
	bool respect_filter;
};

/**
 * Writes an ELF core file (core(5), elf(5)) for debuggers. It contains the chosen ranges as load
 * segments, and notes about the process, its threads and its mapped files.
 *
 * The core file does not contain the bytes of:
 * - untouched pages of mapped files and of shared memory, unless pm_dump_source.files is set
 * - memory that cannot be read
 * - regions that were never touched. Core files of the kernel do not contain them, either
 *
 * The load segments of this memory have a file size of 0. Debuggers read pages of mapped files from
 * these files, and report the other memory as not available, instead of showing zeros.
 *
 * @param source   what to dump; its `process` must not be NULL, and must be a 64-bit process
 * @param options  the options; NULL for the defaults
 * @param fd       an empty regular file, open for writing
 * @param result   as for pm_dump_raw(); `size` is the size of the core file
 * @param error    as for pm_dump_raw() and pm_stop_begin(). Also PM_ERROR_UNSUPPORTED for a 32-bit
 *                 process, and PM_ERROR_USAGE if `fd` is not an empty regular file or not open for
 *                 writing
 * @return         0 or -1
 */
PM_PUBLIC int pm_dump_core(const struct pm_dump_source *source,
                           const struct pm_core_options *options, int fd,
                           struct pm_dump_result *result, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
