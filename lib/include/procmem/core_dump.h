/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Writing the memory of a living process as an ELF core file.
 */
#ifndef PROCMEM_CORE_DUMP_H
#define PROCMEM_CORE_DUMP_H

#include <procmem/dump.h>
#include <procmem/stop.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How to write a core file. All zeros is a good start. */
struct pm_core_options {
	struct pm_stop *stop;    /**< a stop by the caller, for a consistent view (begun before the
	                            regions were read); or NULL */
	bool stop_for_registers; /**< without such a stop: stop for the milliseconds in which the
	                            registers are read; else only stack pointer and program counter
	                            of sleeping threads are known */
	bool respect_filter; /**< leave out what /proc/PID/coredump_filter and MADV_DONTDUMP say, as
	                        the kernel does (core(5)) */
};

/**
 * Writes an ELF core file (core(5), elf(5)) that debuggers open: the ranges as load segments, and
 * notes about the process, all its threads and its files.
 *
 * Bytes that are not in the dump are segments without content: pages of files that were never
 * touched (debuggers take them from the file), what could not be read, and, as in the kernel's
 * cores, regions that were never touched at all. So nothing reads as zero that is not known to be
 * zero.
 *
 * @param source   what to dump; its process must be there, be live, and of our own width
 * @param options  how; NULL for all zeros
 * @param fd       a regular file, empty and open for writing
 * @param result   as for pm_dump_raw(); size is that of the file
 * @param error    as for pm_dump_raw() and pm_stop_begin(); PM_ERROR_UNSUPPORTED for a 32-bit
 * process, PM_ERROR_USAGE for such an fd
 * @return         0 or -1
 */
PM_PUBLIC int pm_dump_core(const struct pm_dump_source *source,
                           const struct pm_core_options *options, int fd,
                           struct pm_dump_result *result, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
