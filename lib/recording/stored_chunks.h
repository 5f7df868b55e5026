/* SPDX-License-Identifier: MIT */
/**
 * @file Reads and writes the tables `chunk_total`, `chunk_class` and `chunk_count` of a recording,
 * which store the chunks in use. Private.
 */
#ifndef PM_RECORDING_STORED_CHUNKS_H
#define PM_RECORDING_STORED_CHUNKS_H

#include <procmem/histogram.h>

#include "recording/database.h"

/** SQL that creates the tables that do not exist. */
#define PM_STORED_CHUNKS_SCHEMA                                                               \
	"CREATE TABLE IF NOT EXISTS chunk_total (sample INTEGER PRIMARY KEY, allocator TEXT " \
	"NOT NULL, complete INTEGER NOT NULL, count INTEGER NOT NULL, bytes INTEGER NOT "     \
	"NULL, bound INTEGER NOT NULL);"                                                      \
	"CREATE TABLE IF NOT EXISTS chunk_class (id INTEGER PRIMARY KEY, size INTEGER NOT "   \
	"NULL, content TEXT NOT NULL, word INTEGER NOT NULL, name TEXT NOT NULL, UNIQUE "     \
	"(size, content, word, name));"                                                       \
	"CREATE TABLE IF NOT EXISTS chunk_count (class INTEGER NOT NULL, sample INTEGER NOT " \
	"NULL, count INTEGER NOT NULL, bytes INTEGER NOT NULL, missed INTEGER NOT NULL, "     \
	"example INTEGER NOT NULL, text TEXT NOT NULL, varies INTEGER NOT NULL, cut INTEGER " \
	"NOT NULL, PRIMARY KEY (class, sample)) WITHOUT ROWID;"

/**
 * Writes a histogram: only the classes that differ from the last histogram in the file.
 *
 * @param database   the recording, in a transaction
 * @param number     number of the sample; no later sample has a histogram
 * @param histogram  the histogram
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int pm_stored_chunks_write(const struct pm_database *database, uint64_t number,
                           const struct pm_histogram *histogram, struct pm_error *error);

/**
 * Reads the last histogram up to a sample.
 *
 * @param database   the recording
 * @param number     number of the sample
 * @param found      receives the number of the sample that the histogram belongs to
 * @param histogram  filled if there is one; release with pm_histogram_deinit()
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return           1 if there is one, 0 if not, -1 on errors
 */
int pm_stored_chunks_read(const struct pm_database *database, uint64_t number, uint64_t *found,
                          struct pm_histogram *histogram, struct pm_error *error);

#endif
