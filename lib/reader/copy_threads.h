/* SPDX-License-Identifier: MIT */
/** @file The threads of a copy: their registers and names. Private. */
#ifndef PM_READER_COPY_THREADS_H
#define PM_READER_COPY_THREADS_H

#include <procmem/copy.h>

/**
 * Reads the registers of all threads of a stopped process. A thread whose registers cannot be read
 * has none.
 *
 * @param vectors_max  maximum size in bytes of all pm_copy_thread.vectors. A thread for which no
 *                     room is left has none
 * @param threads      receives the threads by ascending TID, without names; release with
 *                     pm_copy_threads_free()
 * @param count        receives the number of threads
 * @param error        PM_ERROR_RESOURCES
 * @return             0 or -1
 */
int pm_copy_threads_read(struct pm_stop *stop, uint64_t vectors_max,
                         struct pm_copy_thread **threads, size_t *count, struct pm_error *error);

/**
 * As pm_copy_threads_read(), for the threads of a core file.
 * @return 0, or -1 with PM_ERROR_RESOURCES
 */
int pm_copy_threads_read_core(const struct pm_core *core, struct pm_copy_thread **threads,
                              size_t *count, struct pm_error *error);

/** Overwrites and releases threads. */
void pm_copy_threads_free(struct pm_copy_thread *threads, size_t count);

/** Sets the names of threads. Threads that have ended since the stop have none. */
void pm_copy_threads_name(struct pm_process *process, struct pm_copy_thread *threads, size_t count);

#endif
