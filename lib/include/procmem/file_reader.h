/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A reader for the files that a living process has mapped.
 */
#ifndef PROCMEM_FILE_READER_H
#define PROCMEM_FILE_READER_H

#include <procmem/process.h>
#include <procmem/read_plan.h>
#include <procmem/reader.h>
#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Opens the mapped files of a living process for reading. A read at an address returns the bytes of
 * the file (or shared memory) that is mapped at this address, and has no effect on the target. Use
 * this reader only for pages that the target has not touched. If the target has modified a page of
 * a private mapping, the reader still returns the bytes of the file, not the modified bytes.
 *
 * A file is opened through /proc/PID/map_files, which needs CAP_CHECKPOINT_RESTORE or
 * CAP_SYS_ADMIN, and also works for deleted files. If this fails, the file is opened by its name
 * below /proc/PID/root, and used only if its device and inode are those of the mapping. If this
 * fails, too, the bytes of the file are unreadable.
 *
 * @param process  the process; must outlive the reader
 * @param regions  the regions of the process; must outlive the reader
 * @param reader   receives the reader; release with pm_reader_close()
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_file_reader_open(struct pm_process *process, const struct pm_regions *regions,
                                  struct pm_reader *reader, struct pm_error *error);

/**
 * Returns a source of the holes in mapped files, for a plan whose files this reader reads.
 *
 * @param reader  a reader of pm_file_reader_open(), which must outlive the plan; or any other
 *                reader, or NULL
 * @return        the source; it finds no holes if the reader is not from pm_file_reader_open()
 */
PM_PUBLIC struct pm_hole_source pm_file_reader_holes(const struct pm_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
