/* SPDX-License-Identifier: MIT */
/**
 * @file
 * ELF core files as a target: the regions and bytes that a process had when the file was written,
 * by the kernel, gcore, or procmem itself.
 *
 * A core file is hostile input: all its numbers are checked against the size of the file. 32-bit
 * and 64-bit files of either byte order are read.
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

/** An open core file; opaque. Several threads may read it at a time. */
struct pm_core;

/** What a core file says about the process as a whole. */
struct pm_core_info {
	pid_t pid;          /**< its PID, 0 where the file does not say (NT_PRPSINFO) */
	int signal;         /**< signal that ended it, 0 for none or where the file does not say
	                       (NT_PRSTATUS) */
	uint32_t threads;   /**< number of threads (NT_PRSTATUS notes) */
	uint32_t word_bits; /**< 32 or 64 */
	bool truncated; /**< the file ends before the bytes that it promises: they are missing */
	char comm[PM_COMM_SIZE]; /**< command name, "" where the file does not say */
	char command[81]; /**< begin of the command line, "" where the file does not say: the kernel
	                     keeps 80 bytes */
};

/**
 * Whether a file looks like a core file: an ELF header of type ET_CORE.
 * @param path the file
 * @return true or false
 */
PM_PUBLIC bool pm_core_is_one(const char *path);

/**
 * Opens a core file.
 *
 * @param path   the file
 * @param core   where to store it; release with pm_core_close()
 * @param error  PM_ERROR_NOT_FOUND, PM_ERROR_FORMAT with what is wrong, PM_ERROR_IO,
 * PM_ERROR_RESOURCES
 * @return       0 or -1
 */
PM_PUBLIC int pm_core_open(const char *path, struct pm_core **core, struct pm_error *error);

/**
 * Closes a core file.
 * @param core a core file or NULL
 */
PM_PUBLIC void pm_core_close(struct pm_core *core);

/**
 * What it says about the process.
 * @param core the core file
 * @return valid until it is closed
 */
PM_PUBLIC const struct pm_core_info *pm_core_info(const struct pm_core *core);

/**
 * The threads it had (NT_PRSTATUS), without names, which core files do not hold. TIDs and stack
 * pointers are known for 64-bit x86 and ARM, else 0.
 *
 * @param core   the core file
 * @param count  where to store how many
 * @return       them, by ascending TID; valid until it is closed
 */
PM_PUBLIC const struct pm_thread *pm_core_threads(const struct pm_core *core, size_t *count);

/**
 * Appends its regions: one for each mapping of a file that NT_FILE names, whatever segments there
 * are of it, and one for each load segment of other memory; [vdso] and [stack] are found by
 * NT_AUXV. Sizes are not known, except that PM_SIZE_RSS is what the file holds of the region, which
 * may be nothing: gdb leaves out what is in the mapped files still.
 *
 * Permissions are those of the segments. Where there is none, all are PM_PERM_UNKNOWN. Whether a
 * mapping of a file is shared is never known, and in files of gdb whether memory is readable that
 * can be neither written nor executed.
 *
 * @param core     the core file
 * @param regions  an initialised list
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_core_regions(const struct pm_core *core, struct pm_regions *regions,
                              struct pm_error *error);

/**
 * A reader of its bytes. What the file does not hold is unreadable: "not in the core file", with
 * the file and offset where it may be.
 *
 * @param core  the core file; must outlive the reader
 * @return      the reader; pm_reader_close() releases nothing
 */
PM_PUBLIC struct pm_reader pm_core_reader(struct pm_core *core);

/**
 * Which pages the file holds, for plans.
 * @param core the core file; must outlive the source
 * @return the source
 */
PM_PUBLIC struct pm_page_source pm_core_source(struct pm_core *core);

#ifdef __cplusplus
}
#endif

#endif
