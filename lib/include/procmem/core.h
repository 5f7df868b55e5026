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

/** What a core file contains about the process */
struct pm_core_info {
	pid_t pid; /**< PID of the process (NT_PRPSINFO); 0 if the PID is not in the file */
	/**
	 * Signal that killed the process (NT_PRSTATUS); 0 if no signal killed it, or if the signal
	 * is not in the file
	 */
	int signal;
	uint32_t threads;   /**< number of threads (NT_PRSTATUS notes) */
	uint32_t word_bits; /**< size of an address in bits: 32 or 64 */
	/** Whether the file ends before the end of a segment, so that bytes are missing */
	bool truncated;
	char comm[PM_COMM_SIZE]; /**< command name; "" if the file does not contain it */
	/** The first 80 bytes of the command line; "" if the command line is not in the file */
	char command[81];
	uint64_t size; /**< size of the file in bytes */
	/** Bytes of segments that are missing because the file is truncated; 0 if it is not */
	uint64_t missing;
};

/**
 * Tests whether a file is a core file, that is, whether it starts with an ELF header of the type
 * ET_CORE.
 * @param path  path of the file
 * @return      true if it is a core file; false if not, or if the file cannot be read
 */
PM_PUBLIC bool pm_core_is_one(const char *path);

/**
 * Opens a core file.
 *
 * @param path   the file
 * @param core   receives the core file; release with pm_core_close()
 * @param error  PM_ERROR_NOT_FOUND, PM_ERROR_ACCESS, PM_ERROR_FORMAT with the reason, PM_ERROR_IO,
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
 * Returns the threads (NT_PRSTATUS). The names of the threads are empty, because core files do not
 * contain them. TIDs and stack pointers are known only for x86-64 and 64-bit ARM, and are 0 for
 * other processors.
 *
 * @param core   the core file
 * @param count  receives the number of threads
 * @return       the threads by ascending TID, valid until the core file is closed; NULL if there
 *               are none
 */
PM_PUBLIC const struct pm_thread *pm_core_threads(const struct pm_core *core, size_t *count);

/**
 * Appends the regions of the process to a list. Each mapping of a file (an entry of the note
 * NT_FILE) is one region, or several regions if the permissions differ within the mapping. Each
 * load segment of other memory is one region. [vdso] and [stack] are found with the note NT_AUXV.
 *
 * The only known size of a region is PM_SIZE_RSS: the number of bytes of the region that are in the
 * core file. This size may be 0: for example, gdb does not write pages that can still be read from
 * the mapped file.
 *
 * The permissions of a region are those of its segment. If a part of a mapping has no segment, it
 * gets the permissions of the segments of the other parts. If the permissions of those segments
 * differ, or if the mapping has no segment at all, the part gets PM_PERM_UNKNOWN. No core file
 * shows whether a mapping of a file is shared. If a region has no file and is neither writable nor
 * executable, a core file of gdb does not show whether the region is readable.
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
 * unreadable. If a mapped file may contain these bytes, the error names the file and the offset.
 *
 * @param core  the core file; must outlive the reader
 * @return      the reader; it need not be closed
 */
PM_PUBLIC struct pm_reader pm_core_reader(struct pm_core *core);

/**
 * Returns a source of page states for plans. The source reports a page as present if the core file
 * contains the page, and as PM_PAGE_CUT if the file is truncated before the page.
 * @param core  the core file; must outlive the source
 * @return      the source
 */
PM_PUBLIC struct pm_page_source pm_core_source(struct pm_core *core);

#ifdef __cplusplus
}
#endif

#endif
