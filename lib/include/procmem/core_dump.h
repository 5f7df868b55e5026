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
	struct pm_stop *stop;    /**< a stop of the caller, for a consistent view, which started
	                            before the regions were read; or NULL */
	bool stop_for_registers; /**< if `stop` is NULL: stop while the registers are read, for
	                            milliseconds; otherwise only the stack pointers and program
	                            counters of sleeping threads are known */
	bool respect_filter;     /**< leave out what /proc/PID/coredump_filter and MADV_DONTDUMP
	                            exclude, as the kernel does (core(5)) */
};

/**
 * Writes an ELF core file (core(5), elf(5)) for debuggers: the ranges as load segments, and notes
 * of the process, its threads and its files.
 *
 * Bytes that are not in the dump are segments without content: untouched pages of files (debuggers
 * read them from the file), unreadable bytes, and, as in cores of the kernel, regions that were
 * never touched. So bytes that debuggers read as zero are known to be zero.
 *
 * @param source   what to dump; with a process, which must be living and 64-bit
 * @param options  the options; NULL for the defaults
 * @param fd       an empty regular file, open for writing
 * @param result   as for pm_dump_raw(); `size` is that of the file
 * @param error    as for pm_dump_raw() and pm_stop_begin(); PM_ERROR_UNSUPPORTED for a 32-bit
 *                 process, PM_ERROR_USAGE if `fd` is not suitable
 * @return         0 or -1
 */
PM_PUBLIC int pm_dump_core(const struct pm_dump_source *source,
                           const struct pm_core_options *options, int fd,
                           struct pm_dump_result *result, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
