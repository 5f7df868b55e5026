/* SPDX-License-Identifier: MIT */
/** @file The notes of a core file. Private. */
#ifndef PM_READER_CORE_NOTES_H
#define PM_READER_CORE_NOTES_H

#include "reader/core_file.h"

/**
 * Reads the notes in a part of the file. Stops without an error at an invalid note: the memory can
 * be read without notes.
 *
 * @param core    its headers are read; info, threads, names, vdso and stack are filled
 * @param offset  start of the notes in the file
 * @param size    their size in bytes
 * @param error   PM_ERROR_FORMAT, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_core_read_notes(struct pm_core *core, uint64_t offset, uint64_t size,
                       struct pm_error *error);

/**
 * Sorts the threads by TID, after all notes were read.
 * @param core  the core file
 */
void pm_core_sort_threads(struct pm_core *core);

#endif
