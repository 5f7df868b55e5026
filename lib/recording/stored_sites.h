/* SPDX-License-Identifier: MIT */
/**
 * @file Reads and writes the tables `trace` and `site` of a recording, which store the sites of a
 * trace. Private.
 */
#ifndef PM_RECORDING_STORED_SITES_H
#define PM_RECORDING_STORED_SITES_H

#include <procmem/site_list.h>

#include "recording/database.h"

/** SQL that creates the tables that do not exist. */
#define PM_STORED_SITES_SCHEMA                                                               \
	"CREATE TABLE IF NOT EXISTS trace (sample INTEGER PRIMARY KEY, first INTEGER NOT "   \
	"NULL, backend TEXT NOT NULL, page_faults INTEGER NOT NULL, seconds REAL NOT NULL, " \
	"events INTEGER NOT NULL, lost INTEGER NOT NULL, difference INTEGER NOT NULL, "      \
	"before_start INTEGER NOT NULL, before_now INTEGER NOT NULL, bound INTEGER NOT "     \
	"NULL);"                                                                             \
	"CREATE TABLE IF NOT EXISTS site (stack INTEGER NOT NULL, earlier INTEGER NOT "      \
	"NULL, sample INTEGER NOT NULL, thread INTEGER NOT NULL, resident INTEGER NOT "      \
	"NULL, mapped INTEGER NOT NULL, calls INTEGER NOT NULL, regions INTEGER NOT NULL, "  \
	"faults INTEGER NOT NULL, PRIMARY KEY (stack, earlier, sample)) WITHOUT ROWID;"

/**
 * Writes a list of sites: only the sites that differ from the last list in the file.
 *
 * @param database  the recording, in a transaction
 * @param number    number of the sample; no later sample has a list
 * @param list      the list
 * @param error     PM_ERROR_IO, PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_stored_sites_write(const struct pm_database *database, uint64_t number,
                          const struct pm_site_list *list, struct pm_error *error);

/**
 * Reads the last list of sites up to a sample.
 *
 * @param database  the recording
 * @param number    number of the sample
 * @param found     receives the number of the sample that the list belongs to
 * @param list      filled if there is one; release with pm_site_list_deinit()
 * @param error     PM_ERROR_IO, PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return          1 if there is one, 0 if not, -1 on errors
 */
int pm_stored_sites_read(const struct pm_database *database, uint64_t number, uint64_t *found,
                         struct pm_site_list *list, struct pm_error *error);

#endif
