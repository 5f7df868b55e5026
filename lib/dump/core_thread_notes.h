/* SPDX-License-Identifier: MIT */
/** @file FILL core_thread_notes.c */
#ifndef PM_DUMP_CORE_THREAD_NOTES_H
#define PM_DUMP_CORE_THREAD_NOTES_H

#include "dump/core_notes.h"

/**
 * Writes the notes with its other registers, which exist only in a stop.
 * @return 0 or -1
 */
int pm_core_register_notes_write(struct pm_core_writer *writer, const struct pm_core_thread *thread,
                                 struct pm_error *error);

/**
 * Writes NT_PRSTATUS of a thread: identity, signals, times and general registers.
 * @return 1; 0: the thread has ended; -1: an error
 */
int pm_core_status_note_write(struct pm_core_writer *writer, const struct pm_core_thread *thread,
                              struct pm_error *error);

#endif
