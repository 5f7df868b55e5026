/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reading the regions of a process from /proc/PID/maps and /proc/PID/smaps (proc_pid_maps(5),
 * proc_pid_smaps(5)).
 *
 * Both parsers take a stream: the text is never held in memory as a whole (smaps of 60,000 regions
 * is 43 MB). Unknown keys and VmFlags are skipped: kernels add them.
 */
#ifndef PROCMEM_MAPS_H
#define PROCMEM_MAPS_H

#include <procmem/process.h>
#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which text a list of regions is read from. */
enum pm_maps_source {
	PM_MAPS,  /**< maps: addresses, permissions, names; cheap */
	PM_SMAPS, /**< smaps: with all sizes and VmFlags; costs the target page-table walks under
	             its map lock */
};

/**
 * Reads the regions of a living process. The list is complete or the call fails: a target that
 * exits or calls exec in the middle is an error (the kernel just ends the file).
 *
 * @param process  the process
 * @param source   which file to read
 * @param regions  an initialised list; the regions are appended
 * @param error    PM_ERROR_ACCESS, PM_ERROR_GONE, PM_ERROR_NO_MEMORY (zombie, kernel thread),
 * PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_maps_read(struct pm_process *process, enum pm_maps_source source,
                           struct pm_regions *regions, struct pm_error *error);

/**
 * Reads regions from an open file that holds maps or smaps text.
 *
 * @param fd       descriptor to read to its end
 * @param source   what the text must be
 * @param name     what to call it in errors
 * @param regions  an initialised list; the regions are appended
 * @param error    PM_ERROR_FORMAT (with the line number; also for text that ends within a region),
 * PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_maps_read_fd(int fd, enum pm_maps_source source, const char *name,
                              struct pm_regions *regions, struct pm_error *error);

/**
 * Reads regions from a saved file, and finds out by itself whether it is maps or smaps text.
 *
 * @param path     the file; a directory means its `smaps`, or where there is none its `maps`
 * @param regions  an initialised list; the regions are appended
 * @param source   where to store what it was
 * @param error    PM_ERROR_NOT_FOUND, PM_ERROR_FORMAT (empty, binary or truncated), PM_ERROR_IO
 * @return         0 or -1
 */
PM_PUBLIC int pm_maps_read_saved(const char *path, struct pm_regions *regions,
                                 enum pm_maps_source *source, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
