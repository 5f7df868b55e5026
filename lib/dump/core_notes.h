/* SPDX-License-Identifier: MIT */
/** @file The notes of a core file. Private. */
#ifndef PM_DUMP_CORE_NOTES_H
#define PM_DUMP_CORE_NOTES_H

#include <procmem/region.h>
#include <procmem/stop.h>

#include "dump/core_writer.h"

/**
 * Writes all notes, in the kernel's order: the first thread, the process, then the other threads.
 *
 * @param writer   the core file
 * @param process  the target
 * @param regions  for NT_FILE
 * @param stop     gives the registers; NULL: they are zeros, but for stack pointer and program
 * counter of sleeping threads
 * @param error    PM_ERROR_GONE, PM_ERROR_IO, ...
 * @return         0 or -1
 */
int pm_core_notes_write(struct pm_core_writer *writer, struct pm_process *process,
                        const struct pm_regions *regions, struct pm_stop *stop,
                        struct pm_error *error);

/** A thread whose notes are to be written. */
struct pm_core_thread {
	struct pm_process *process; /**< whose it is */
	pid_t tid;                  /**< which one */
	struct pm_stop *stop;       /**< or NULL */
	size_t index;               /**< of the thread in the stop */
};

#endif
