/* SPDX-License-Identifier: MIT */
/**
 * @file Reads and writes the tables `region_owner` and `owner` of a recording, which store the main
 * owner of each region, and the sums by owner at a sample. Private.
 */
#ifndef PM_RECORDING_STORED_OWNERS_H
#define PM_RECORDING_STORED_OWNERS_H

#include <procmem/owner_sums.h>

#include "recording/database.h"

/** SQL that creates the tables that do not exist. Recordings of early versions lack them. */
#define PM_STORED_OWNERS_SCHEMA                                                                   \
	"CREATE TABLE IF NOT EXISTS region_owner (region INTEGER PRIMARY KEY, owner TEXT NOT "    \
	"NULL, proof INTEGER NOT NULL, mixed INTEGER NOT NULL);"                                  \
	"CREATE TABLE IF NOT EXISTS owner (sample INTEGER NOT NULL, owner TEXT NOT NULL, "        \
	"regions INTEGER NOT NULL, size INTEGER NOT NULL, largest INTEGER NOT NULL, rss INTEGER " \
	"NOT NULL, swap INTEGER NOT NULL, inferred INTEGER NOT NULL, PRIMARY KEY (sample, "       \
	"owner)) WITHOUT ROWID;"

/** SQL of the statement that pm_stored_owner_write() runs. */
extern const char pm_stored_owner_insert[];

/** SQL of the statement that pm_stored_owner_read() runs. */
extern const char pm_stored_owner_select[];

/**
 * Writes the owner of a region, unless it is not known.
 *
 * @param database   the recording
 * @param statement  pm_stored_owner_insert, prepared
 * @param id         row ID of the region
 * @param region     the region
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT
 * @return           0 or -1
 */
int pm_stored_owner_write(const struct pm_database *database, sqlite3_stmt *statement, int64_t id,
                          const struct pm_region *region, struct pm_error *error);

/**
 * Reads the owner of a region.
 *
 * @param database   the recording
 * @param statement  pm_stored_owner_select, prepared; NULL if the recording has no such table
 * @param id         row ID of the region
 * @param region     receives the owner; it is not known if none was stored
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT
 * @return           0 or -1
 */
int pm_stored_owner_read(const struct pm_database *database, sqlite3_stmt *statement, int64_t id,
                         struct pm_region *region, struct pm_error *error);

/**
 * Writes the sums by owner at a sample.
 *
 * @param database  the recording
 * @param number    number of the sample
 * @param sums      the sums
 * @param error     PM_ERROR_IO, PM_ERROR_FORMAT
 * @return          0 or -1
 */
int pm_stored_owners_write(const struct pm_database *database, uint64_t number,
                           const struct pm_owner_sums *sums, struct pm_error *error);

/**
 * Reads the sums by owner at a sample.
 *
 * @param database  the recording
 * @param number    number of the sample
 * @param sums      receives the sums; unchanged if none were stored
 * @param error     PM_ERROR_IO, PM_ERROR_FORMAT
 * @return          1; 0 if none were stored; -1
 */
int pm_stored_owners_read(const struct pm_database *database, uint64_t number,
                          struct pm_owner_sums *sums, struct pm_error *error);

#endif
