/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads the regions of a process from /proc/PID/maps and /proc/PID/smaps (proc_pid_maps(5),
 * proc_pid_smaps(5)).
 *
 * The text is parsed as a stream and is never completely in memory, because the smaps text of
 * 60,000 regions is 43 MB long. Keys and VmFlags that are not known are skipped, because newer
 * kernels add some.
 */
#ifndef PROCMEM_MAPS_H
#define PROCMEM_MAPS_H

#include <procmem/process.h>
#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The text from which a list of regions is read. */
enum pm_maps_source {
	/** maps: addresses, permissions and names. Fast. */
	PM_MAPS,
	/**
	 * smaps: additionally, all sizes and VmFlags. Slower: the kernel walks the page tables
	 * while it holds the map lock of the target.
	 */
	PM_SMAPS,
};

/**
 * Reads the regions of a living process. If the call succeeds, the list is complete. The call fails
 * if the target exits or calls exec during the read.
 *
 * @param process  the process
 * @param source   the file to read
 * @param regions  an initialised list; the regions are appended
 * @param error    PM_ERROR_ACCESS, PM_ERROR_GONE, PM_ERROR_NO_MEMORY (zombie, kernel thread),
 *                 PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_maps_read(struct pm_process *process, enum pm_maps_source source,
                           struct pm_regions *regions, struct pm_error *error);

/**
 * Reads regions from an open file with the text of maps or smaps.
 *
 * @param fd       the file; it is read to its end
 * @param source   the format of the file
 * @param name     name of the file for error messages
 * @param regions  an initialised list; the regions are appended
 * @param error    PM_ERROR_FORMAT with the line number (also if the text ends within a region),
 *                 PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_maps_read_fd(int fd, enum pm_maps_source source, const char *name,
                              struct pm_regions *regions, struct pm_error *error);

/**
 * Reads regions from a saved file, and detects whether its text is that of maps or smaps.
 *
 * @param path     the file, or a directory: `smaps` in this directory is read, or `maps` if there
 *                 is no `smaps`
 * @param regions  an initialised list; the regions are appended
 * @param source   receives the detected format
 * @param error    PM_ERROR_NOT_FOUND, PM_ERROR_FORMAT (empty, binary or truncated), PM_ERROR_IO
 * @return         0 or -1
 */
PM_PUBLIC int pm_maps_read_saved(const char *path, struct pm_regions *regions,
                                 enum pm_maps_source *source, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
