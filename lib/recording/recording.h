/* SPDX-License-Identifier: MIT */
/** @file FILL recording.c */
#ifndef PM_RECORDING_RECORDING_H
#define PM_RECORDING_RECORDING_H

#include "recording/open_recording.h"

/**
 * A sample of a row that begins with these columns.
 * @param statement the row
 * @return the sample
 */
struct pm_recorded pm_recorded_of_row(sqlite3_stmt *statement);

#endif
