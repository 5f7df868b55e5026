/* SPDX-License-Identifier: MIT */
/** @file Writes the notes of the threads of a core file. Private. */
#ifndef PM_DUMP_CORE_THREAD_NOTES_H
#define PM_DUMP_CORE_THREAD_NOTES_H

#include "dump/core_notes.h"

/**
 * Writes NT_X86_XSAVE_LAYOUT, as Linux 6.18 does: the type, size and offset of each component
 * of NT_X86_XSTATE after the first two. Writes nothing on processors without such components.
 *
 * @param writer  the core file
 * @param error   PM_ERROR_IO
 * @return        0 or -1
 */
int pm_core_layout_note_write(struct pm_core_writer *writer, struct pm_error *error);

/**
 * Writes notes with the registers that NT_PRSTATUS does not contain, such as the floating-point
 * registers. Writes nothing if the thread is not stopped.
 *
 * @param writer  the core file
 * @param thread  the thread
 * @param error   PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_core_register_notes_write(struct pm_core_writer *writer, const struct pm_core_thread *thread,
                                 struct pm_error *error);

/**
 * Writes NT_SIGINFO of a thread: the siginfo_t of its pending signal. If the thread is stopped and
 * has no pending signal, writes SIGSTOP, as gcore does. If the thread is not stopped, writes zeros.
 *
 * @param writer  the core file
 * @param thread  the thread; its NT_PRSTATUS was written before
 * @param error   PM_ERROR_GONE, PM_ERROR_UNREADABLE, PM_ERROR_IO
 * @return        0 or -1
 */
int pm_core_siginfo_note_write(struct pm_core_writer *writer, const struct pm_core_thread *thread,
                               struct pm_error *error);

/**
 * Writes NT_PRSTATUS of a thread: IDs, signals, times and general registers.
 *
 * @param writer  the core file
 * @param thread  the thread
 * @param error   PM_ERROR_GONE, PM_ERROR_IO
 * @return        1: the note was written; 0: the thread has exited; -1: an error
 */
int pm_core_status_note_write(struct pm_core_writer *writer, const struct pm_core_thread *thread,
                              struct pm_error *error);

#endif
