/* SPDX-License-Identifier: MIT */
/**
 * @file
 * ELF core files as targets: the regions and bytes of a process at the time when the kernel, gcore
 * or procmem wrote the file.
 *
 * Core files are untrusted: every offset and size in the file is checked against the length of the
 * file. 32-bit and 64-bit files of either byte order can be read.
 */
#ifndef PROCMEM_CORE_H
#define PROCMEM_CORE_H

#include <procmem/process.h>
#include <procmem/read_plan.h>
#include <procmem/reader.h>
#include <procmem/region.h>
#include <procmem/threads.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An open core file; opaque. Several threads may use it at the same time. */
struct pm_core;

/** What a core file says about the process. */
struct pm_core_info {
	pid_t pid;          /**< PID of the process (NT_PRPSINFO), 0 if not in the file */
	int signal;         /**< signal that killed it (NT_PRSTATUS), 0 for none or if not in the
	                       file */
	uint32_t threads;   /**< number of threads (NT_PRSTATUS notes) */
	uint32_t word_bits; /**< 32 or 64 */
	bool truncated;     /**< the file ends before the end of a segment: bytes are missing */
	char comm[PM_COMM_SIZE]; /**< command name, "" if not in the file */
	char command[81]; /**< the first 80 bytes of the command line, "" if not in the file */
};

/**
 * Tests whether a file is a core file: whether it has an ELF header of type ET_CORE.
 * @param path  the file
 * @return      true or false
 */
PM_PUBLIC bool pm_core_is_one(const char *path);

/**
 * Opens a core file.
 *
 * @param path   the file
 * @param core   receives the core file; release with pm_core_close()
 * @param error  PM_ERROR_NOT_FOUND, PM_ERROR_FORMAT with the reason, PM_ERROR_IO,
 *               PM_ERROR_RESOURCES
 * @return       0 or -1
 */
PM_PUBLIC int pm_core_open(const char *path, struct pm_core **core, struct pm_error *error);

/**
 * Closes a core file.
 * @param core  a core file or NULL
 */
PM_PUBLIC void pm_core_close(struct pm_core *core);

/**
 * Returns the information about the process.
 * @param core  the core file
 * @return      the information, valid until the core file is closed
 */
PM_PUBLIC const struct pm_core_info *pm_core_info(const struct pm_core *core);

/**
 * Returns the threads (NT_PRSTATUS). Their names are empty, because core files do not contain
 * thread names. TIDs and stack pointers are known for x86-64 and 64-bit ARM; for other processors
 * they are 0.
 *
 * @param core   the core file
 * @param count  receives the number of threads
 * @return       the threads by ascending TID, valid until the core file is closed
 */
PM_PUBLIC const struct pm_thread *pm_core_threads(const struct pm_core *core, size_t *count);

/**
 * Appends the regions to a list: one for each entry of NT_FILE, and one for each load segment of
 * other memory. [vdso] and [stack] are found with NT_AUXV. The only known size is PM_SIZE_RSS, the
 * number of bytes of the region that the file contains. It may be 0: gdb leaves out bytes that are
 * still in the mapped file.
 *
 * The permissions of a region are those of its segment, or PM_PERM_UNKNOWN if it has none. It is
 * never known whether a mapping of a file is shared. In core files written by gdb, it is not known
 * whether a region is readable if it is neither writable nor executable.
 *
 * @param core     the core file
 * @param regions  an initialised list; the regions are appended
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_core_regions(const struct pm_core *core, struct pm_regions *regions,
                              struct pm_error *error);

/**
 * Returns a reader for the memory in the core file. Bytes that are not in the core file are
 * unreadable; the error names the mapped file and the offset where they may be.
 *
 * @param core  the core file; must outlive the reader
 * @return      the reader; it need not be closed
 */
PM_PUBLIC struct pm_reader pm_core_reader(struct pm_core *core);

/**
 * Returns a source of page states for plans: the pages that the file contains are present.
 * @param core  the core file; must outlive the source
 * @return      the source
 */
PM_PUBLIC struct pm_page_source pm_core_source(struct pm_core *core);

#ifdef __cplusplus
}
#endif

#endif
