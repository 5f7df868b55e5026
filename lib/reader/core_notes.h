/* SPDX-License-Identifier: MIT */
/** @file FILL core_notes.c */
#ifndef PM_READER_CORE_NOTES_H
#define PM_READER_CORE_NOTES_H

#include "reader/core.h"

/**
 * Reads the notes in a part of the file. A note that makes no sense ends it, quietly: the memory
 * can be read without.
 */
int pm_core_read_notes(struct pm_core *core, uint64_t offset, uint64_t size,
                       struct pm_error *error);

/** Puts the threads into order, when all notes are read. */
void pm_core_sort_threads(struct pm_core *core);

#endif
