/* SPDX-License-Identifier: MIT */
/**
 * @file Reads and writes the tables `headroom` and `headroom_level` of a recording, which store the
 * limits of the process. Private.
 */
#ifndef PM_RECORDING_STORED_LIMITS_H
#define PM_RECORDING_STORED_LIMITS_H

#include <procmem/headroom.h>

#include "recording/database.h"

/**
 * SQL that creates the tables that do not exist. Recordings made by early versions of procmem have
 * no limits, or only one limit of each kind in the table `headroom`.
 */
#define PM_STORED_LIMITS_SCHEMA                                                              \
	"CREATE TABLE IF NOT EXISTS headroom (sample INTEGER NOT NULL, name TEXT NOT NULL, " \
	"max INTEGER NOT NULL, used INTEGER NOT NULL, reclaimable INTEGER NOT NULL, source " \
	"INTEGER NOT NULL, PRIMARY KEY (sample, name)) WITHOUT ROWID;"                       \
	"CREATE TABLE IF NOT EXISTS headroom_level (sample INTEGER NOT NULL, name TEXT NOT " \
	"NULL, level INTEGER NOT NULL, max INTEGER NOT NULL, used INTEGER NOT NULL, "        \
	"reclaimable INTEGER NOT NULL, source INTEGER NOT NULL, PRIMARY KEY (sample, name, " \
	"level)) WITHOUT ROWID;"

/** SQL of the statement that pm_stored_limit_write() runs for the first limit of a kind. */
extern const char pm_stored_limit_insert[];

/** SQL of the statement that pm_stored_limit_write() runs for the other limits of a kind. */
extern const char pm_stored_level_insert[];

/**
 * Writes a limit.
 *
 * @param database   the recording
 * @param statement  pm_stored_limit_insert if `level` is 0, otherwise pm_stored_level_insert;
 *                   prepared
 * @param number     number of the sample
 * @param level      number of limits of the same kind that have less left
 * @param limit      the limit
 * @param source     ID of the row of the table `text` that has the source of the limit
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT
 * @return           0 or -1
 */
int pm_stored_limit_write(const struct pm_database *database, sqlite3_stmt *statement,
                          uint64_t number, size_t level, const struct pm_limit *limit,
                          int64_t source, struct pm_error *error);

/**
 * Reads the limits of a sample.
 *
 * @param database  the recording
 * @param number    number of the sample
 * @param headroom  receives the limits, in the order of pm_headroom.limits. It has no limits if
 *                  none were recorded for this sample
 * @param error     PM_ERROR_IO, PM_ERROR_FORMAT
 * @return          0 or -1
 */
int pm_stored_limits_read(const struct pm_database *database, uint64_t number,
                          struct pm_headroom *headroom, struct pm_error *error);

#endif
