/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A reader for the memory of a living process.
 */
#ifndef PROCMEM_TARGET_READER_H
#define PROCMEM_TARGET_READER_H

#include <procmem/process.h>
#include <procmem/reader.h>
#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Opens the memory of a living process for reading. The process is neither stopped nor attached to.
 *
 * Bytes are read with process_vm_readv(2). In these cases they are read from /proc/PID/mem instead:
 * - in regions without read permission
 * - in regions with userfaultfd, where process_vm_readv() can block forever
 * - in regions whose VmFlags are not known
 * - everywhere, if the PID belongs to another PID namespace, or once process_vm_readv() has failed
 *   with EPERM or ENOSYS
 *
 * If possible, pass regions with VmFlags (PM_SMAPS): a read from /proc/PID/mem takes twice as long
 * as process_vm_readv(), and slows the target down more.
 *
 * @param process  the process; must outlive the reader
 * @param regions  the regions of the process; must outlive the reader. They determine how each
 *                 range is read. If NULL, all ranges are read from /proc/PID/mem
 * @param reader   receives the reader; release with pm_reader_close()
 * @param error    PM_ERROR_ACCESS, PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_target_reader_open(struct pm_process *process, const struct pm_regions *regions,
                                    struct pm_reader *reader, struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
