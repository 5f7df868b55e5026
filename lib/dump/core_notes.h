/* SPDX-License-Identifier: MIT */
/** @file Writes the notes of a core file: threads, process, mapped files. Private. */
#ifndef PM_DUMP_CORE_NOTES_H
#define PM_DUMP_CORE_NOTES_H

#include <procmem/region.h>
#include <procmem/stop.h>

#include "dump/core_writer.h"

/**
 * Writes all notes, in the order of the kernel: the first thread, the process, the other threads,
 * the layout of the extended registers.
 *
 * @param writer   the core file
 * @param process  the target
 * @param regions  the regions of the target, for NT_FILE
 * @param stop     the stop that is used to read registers. If NULL, all registers are written as
 *                 zero, except the stack pointers and program counters of sleeping threads
 * @param error    PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_UNSUPPORTED, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_core_notes_write(struct pm_core_writer *writer, struct pm_process *process,
                        const struct pm_regions *regions, struct pm_stop *stop,
                        struct pm_error *error);

/** A thread of the target. */
struct pm_core_thread {
	struct pm_process *process; /**< the target */
	pid_t tid;                  /**< thread ID */
	struct pm_stop *stop; /**< the stop that is used to read registers; NULL if there is none */
	size_t index;         /**< index of the thread in the stop; not used if `stop` is NULL */
};

#endif
