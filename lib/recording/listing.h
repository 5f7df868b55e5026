/* SPDX-License-Identifier: MIT */
/** @file Reads the list of the samples of a recording. Private. */
#ifndef PM_RECORDING_LISTING_H
#define PM_RECORDING_LISTING_H

#include <procmem/recording.h>

#include "recording/database.h"

/** Columns of a sample, in the order that pm_listing_row() expects. */
#define PM_LISTING_COLUMNS \
	"number, time, wall_ns, fresh, size, rss, anon, file, shmem, swap, pte, threads"

/**
 * Returns the sample of a row.
 * @param statement  a statement at a row with PM_LISTING_COLUMNS
 * @return           the sample
 */
struct pm_recorded pm_listing_row(sqlite3_stmt *statement);

/**
 * Reads the list of all samples, ordered by number.
 *
 * @param database  the recording, in a transaction
 * @param samples   receives an array, to be released with free(); NULL if there are no samples
 * @param count     receives the number of samples
 * @param error     PM_ERROR_IO, PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_listing_read(const struct pm_database *database, struct pm_listed **samples, size_t *count,
                    struct pm_error *error);

#endif
