/* SPDX-License-Identifier: MIT */
/**
 * @file Reads and writes the table `fact` of a recording, which stores the details of regions.
 * Private.
 */
#ifndef PM_RECORDING_STORED_DETAIL_H
#define PM_RECORDING_STORED_DETAIL_H

#include <procmem/region.h>

#include "recording/database.h"

/**
 * SQL that creates the table `fact` if it does not exist. Recordings made by the first versions of
 * procmem do not have this table.
 */
#define PM_STORED_DETAIL_SCHEMA                                                                   \
	"CREATE TABLE IF NOT EXISTS fact (region INTEGER NOT NULL, item INTEGER NOT NULL, type "  \
	"TEXT NOT NULL, runtime TEXT, allocator TEXT, place TEXT, count INTEGER, found INTEGER, " \
	"smallest INTEGER, largest INTEGER, covered INTEGER, start_address INTEGER, arena "       \
	"INTEGER, arena_number INTEGER, heap INTEGER, heaps INTEGER, thread INTEGER, name TEXT, " \
	"shmid INTEGER, PRIMARY KEY (region, item)) WITHOUT ROWID;"

/** SQL of the statement that pm_stored_detail_write() runs. */
extern const char pm_stored_detail_insert[];

/**
 * SQL of the statement that pm_stored_detail_read() runs, if the recording has the table `fact`.
 */
extern const char pm_stored_detail_select[];

/**
 * Writes the detail of a region.
 *
 * @param database   the recording
 * @param statement  pm_stored_detail_insert, prepared
 * @param id         row ID of the region
 * @param detail     the detail; nothing is written for PM_DETAIL_NONE and PM_DETAIL_TEXT
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int pm_stored_detail_write(const struct pm_database *database, sqlite3_stmt *statement, int64_t id,
                           const struct pm_detail *detail, struct pm_error *error);

/**
 * Reads the detail of a region.
 *
 * @param database   the recording
 * @param statement  pm_stored_detail_select, prepared; NULL if the recording does not have the
 *                   table
 * @param id         row ID of the region
 * @param text       formatted text of the detail; becomes the detail if the table has no row with a
 *                   known type for the region. "": the region has no detail
 * @param regions    list of regions that will own the detail
 * @param detail     receives the detail
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int pm_stored_detail_read(const struct pm_database *database, sqlite3_stmt *statement, int64_t id,
                          const char *text, struct pm_regions *regions, struct pm_detail *detail,
                          struct pm_error *error);

#endif
