/* SPDX-License-Identifier: MIT */
/** @file The row that says which process a recording is of. Private. */
#ifndef PM_RECORDING_STORED_RUN_H
#define PM_RECORDING_STORED_RUN_H

#include <procmem/recording.h>

#include "recording/database.h"

/**
 * Writes the run into a fresh recording; of one that has a run, says whether it is the same
 * process.
 * @return 0 or -1
 */
int pm_stored_process_claim(const struct pm_database *database, const struct pm_process_id *run,
                            struct pm_error *error);

/**
 * Reads the run.
 * @param run filled; the caller frees `command`
 * @return 0 or -1
 */
int pm_stored_process_read(const struct pm_database *database, struct pm_process_id *run,
                           struct pm_error *error);

#endif
