/* SPDX-License-Identifier: MIT */
/** @file Reads and writes the identity of the process that a recording belongs to. Private. */
#ifndef PM_RECORDING_PROCESS_ID_H
#define PM_RECORDING_PROCESS_ID_H

#include <procmem/process_id.h>

#include "recording/database.h"

/**
 * Checks that a recording belongs to the given process. If the recording is new, stores the
 * identity of the process in it. Otherwise the identity stored in the recording must be the same.
 *
 * @param database  a database opened for writing
 * @param id        the process
 * @param error     PM_ERROR_FORMAT (a recording of another process), PM_ERROR_IO
 * @return          0 or -1
 */
int pm_process_id_claim(const struct pm_database *database, const struct pm_process_id *id,
                        struct pm_error *error);

/**
 * Loads the identity of the process that a recording belongs to.
 *
 * @param database  an open database
 * @param id        filled; release with pm_process_id_deinit()
 * @param error     PM_ERROR_FORMAT (no samples yet), PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_process_id_load(const struct pm_database *database, struct pm_process_id *id,
                       struct pm_error *error);

#endif
