/* SPDX-License-Identifier: MIT */
/** @file The notes of a core file. Private. */
#ifndef PM_READER_CORE_NOTES_H
#define PM_READER_CORE_NOTES_H

#include "reader/core_file.h"

/**
 * Reads the notes in a part of the file. If a note is invalid, it and the notes after it are
 * ignored, and the function succeeds: the memory in the core file can be read without notes.
 *
 * @param core    the core file; its ELF header must have been read. Receives `info`, `threads`,
 *                `names`, `vdso` and `stack`
 * @param offset  offset of the notes in the file, in bytes
 * @param size    size of the notes in bytes
 * @param error   PM_ERROR_FORMAT, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_core_read_notes(struct pm_core *core, uint64_t offset, uint64_t size,
                       struct pm_error *error);

/**
 * Finds the general registers of a thread.
 *
 * @param core  the core file
 * @param tid   thread ID
 * @return      PM_CORE_REGISTERS words; NULL if the core file does not contain them, or if its
 *              process is not one of x86-64
 */
const uint64_t *pm_core_registers(const struct pm_core *core, pid_t tid);

/**
 * Sorts the threads by TID. Must be called after all notes were read.
 * @param core  the core file
 */
void pm_core_sort_threads(struct pm_core *core);

#endif
